//! The devices: each runs the calls of one launch at a time.

use crate::env::PerCall;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a launch that waits for devices looks at its interrupt flag.
const LOOK: Duration = Duration::from_millis(10);

/// Who has the devices, and who waits for them.
#[derive(Default)]
pub(crate) struct Devices {
    queue: Mutex<Queue>,
    /// Signalled when a launch leaves.
    left: Condvar,
}

/// The launches that came and have not left, in the order in which they came. One begins when no earlier one shares a device with it.
#[derive(Default)]
struct Queue {
    launches: Vec<Queued>,
    /// The number of the next launch.
    next: u64,
    /// How many wait.
    waiting: usize,
}

struct Queued {
    number: u64,
    /// In rising order.
    ranks: PerCall<usize>,
}

/// The devices of a launch, until it is dropped.
pub(crate) struct Taken<'d> {
    devices: &'d Devices,
    number: u64,
}

impl Devices {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the devices of these ranks; `None` when the flag became true meanwhile.
    pub(crate) fn take(&self, ranks: &[usize], interrupt: Option<&AtomicBool>) -> Option<Taken<'_>> {
        let mut ranks = PerCall::from_slice(ranks);
        ranks.sort_unstable();
        let mut queue = self.lock();
        let number = queue.next;
        queue.next += 1;
        queue.launches.push(Queued { number, ranks });
        // Dropped, it leaves the queue.
        let taken = Taken { devices: self, number };
        while queue.must_wait(number) {
            if interrupt.is_some_and(|flag| flag.load(Relaxed)) {
                drop(queue);
                return None;
            }
            queue.waiting += 1;
            queue = match interrupt {
                None => self.left.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(_) => self.left.wait_timeout(queue, LOOK).unwrap_or_else(PoisonError::into_inner).0,
            };
            queue.waiting -= 1;
        }
        drop(queue);
        Some(taken)
    }
}

impl Queue {
    /// Whether an earlier launch shares a device with this one.
    fn must_wait(&self, number: u64) -> bool {
        let Some(at) = self.launches.iter().position(|l| l.number == number) else { return false };
        self.launches[..at].iter().any(|earlier| share(&earlier.ranks, &self.launches[at].ranks))
    }
}

/// Whether two lists in rising order have a number in common.
fn share(a: &[usize], b: &[usize]) -> bool {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut queue = self.devices.lock();
        queue.launches.retain(|l| l.number != self.number);
        // To call when nobody listens costs as much.
        if queue.waiting > 0 {
            self.devices.left.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_free(devices: &Devices, ranks: &[usize]) -> bool {
        devices.take(ranks, Some(&AtomicBool::new(true))).is_some()
    }

    #[test]
    fn a_device_is_taken_once() {
        let devices = Devices::default();
        let taken = devices.take(&[3, 1], None).expect("free");
        assert!(is_free(&devices, &[0, 2, 4]));
        assert!(!is_free(&devices, &[2, 1]) && !is_free(&devices, &[3, 0]));
        drop(taken);
        assert!(is_free(&devices, &[0, 1, 2, 3]));
    }

    #[test]
    fn who_came_first_begins_first() {
        let devices = Devices::default();
        let order = Mutex::new(vec![]);
        let first = devices.take(&[0], None).expect("free");
        let waiting = |n: usize| while devices.lock().launches.len() < n {};
        std::thread::scope(|scope| {
            let enter = |ranks: &'static [usize]| {
                let _taken = devices.take(ranks, None);
                order.lock().expect("no panic").push(ranks);
            };
            scope.spawn(move || enter(&[0, 1]));
            waiting(2);
            // Device 1 is free, but promised to the one before.
            scope.spawn(move || enter(&[1]));
            waiting(3);
            assert!(is_free(&devices, &[2]));
            assert!(order.lock().expect("no panic").is_empty());
            drop(first);
        });
        assert_eq!(*order.lock().expect("no panic"), [&[0, 1][..], &[1]]);
    }
}
