//! Two threads that do a job together, as one would write it by hand: each has its half, and they meet at a barrier that spins.

use super::measure::lap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A barrier of two threads that spin.
#[derive(Default)]
pub struct Meeting {
    arrivals: AtomicUsize,
}

impl Meeting {
    /// Comes back when both threads are here. What each did before, the other sees after.
    pub fn meet(&self) {
        let arrival = self.arrivals.fetch_add(1, Ordering::AcqRel) + 1;
        // Both have come to meeting number n after 2n arrivals.
        let all = arrival.next_multiple_of(2);
        let mut spins = 0_u32;
        while self.arrivals.load(Ordering::Acquire) < all {
            spins += 1;
            // Somebody else has the other thread's core.
            if spins.is_multiple_of(1 << 14) {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

/// The second thread sleeps so long before it begins: who worked on the other core has gone by then, and a thread that wakes goes to a free core, where
/// a new one may stay on that of its maker.
const SETTLED: Duration = Duration::from_micros(300);

/// Lets this thread and a second one do `work`, each with its half, and says what one of `laps` runs in a row takes. The second thread is there, and spins,
/// when the time begins: it is from a meeting of both to the next one.
pub fn run<H: Send>(halves: [H; 2], laps: usize, work: impl Fn(&mut H, &Meeting) + Sync) -> Duration {
    let [mut mine, mut others] = halves;
    let meeting = Meeting::default();
    let once = |half: &mut H| {
        meeting.meet();
        let start = Instant::now();
        work(half, &meeting);
        meeting.meet();
        start.elapsed()
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(SETTLED);
            lap(laps, || once(&mut others))
        });
        lap(laps, || once(&mut mine))
    })
}
