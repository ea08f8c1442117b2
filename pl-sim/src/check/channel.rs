//! A few messages on their way from one thread to another, without a lock: the sender writes a cache line that the receiver reads, and neither waits for the
//! other. `tests/loom` model-checks this file as it is.

use crate::sync::{AtomicU32, Ordering};

/// How many messages may be on their way.
const ROOM: u32 = 4;

/// Messages of so many words. One thread at a time sends, and one receives.
#[derive(Debug)]
pub(crate) struct Channel<const WORDS: usize> {
    sender: Sender,
    receiver: Receiver,
    places: [Place<WORDS>; ROOM as usize],
}

/// What only the sender needs, in a line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Sender {
    /// How many messages it sent, and how many of them had been received when it looked.
    sent: AtomicU32,
    received: AtomicU32,
}

/// What the receiver writes. The sender reads it when there may be no room.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Receiver {
    /// How many messages it received.
    received: AtomicU32,
}

/// Where a message stands.
#[derive(Debug)]
#[repr(align(64))]
struct Place<const WORDS: usize> {
    /// The message's number, from 1: written when all of it is there.
    number: AtomicU32,
    words: [AtomicU32; WORDS],
}

impl<const WORDS: usize> Default for Channel<WORDS> {
    fn default() -> Self {
        let place = |_| Place { number: AtomicU32::new(0), words: std::array::from_fn(|_| AtomicU32::new(0)) };
        Channel { sender: Sender::default(), receiver: Receiver::default(), places: std::array::from_fn(place) }
    }
}

impl<const WORDS: usize> Channel<WORDS> {
    const fn place(&self, number: u32) -> &Place<WORDS> {
        &self.places[(number % ROOM) as usize]
    }

    /// Whether there is room for a message: the sender asks.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        let sent = self.sender.sent.load(Ordering::Relaxed);
        if sent.wrapping_sub(self.sender.received.load(Ordering::Relaxed)) < ROOM {
            return true;
        }
        // What was received is not read any more: see `receive`.
        let received = self.receiver.received.load(Ordering::Acquire);
        self.sender.received.store(received, Ordering::Relaxed);
        sent.wrapping_sub(received) < ROOM
    }

    /// Sends a message for which there is room.
    #[inline]
    pub(crate) fn send(&self, message: [u32; WORDS]) {
        let sent = self.sender.sent.load(Ordering::Relaxed);
        let place = self.place(sent);
        for (word, value) in place.words.iter().zip(message) {
            word.store(value, Ordering::Relaxed);
        }
        place.number.store(sent.wrapping_add(1), Ordering::Release);
        self.sender.sent.store(sent.wrapping_add(1), Ordering::Relaxed);
    }

    /// Whether so many messages, and the next one, were sent: the receiver asks.
    #[inline]
    fn was_sent(&self, before: u32) -> bool {
        self.place(before).number.load(Ordering::Acquire) == before.wrapping_add(1)
    }

    /// How many messages were sent that were not received yet: the receiver asks. What happened before each of them was sent, it sees.
    #[inline]
    pub(crate) fn waiting(&self) -> u32 {
        let received = self.receiver.received.load(Ordering::Relaxed);
        (0..ROOM).take_while(|number| self.was_sent(received.wrapping_add(*number))).count() as u32
    }

    /// The next message, which is waiting, without receiving it.
    #[inline]
    pub(crate) fn peek(&self) -> [u32; WORDS] {
        let place = self.place(self.receiver.received.load(Ordering::Relaxed));
        std::array::from_fn(|word| place.words[word].load(Ordering::Relaxed))
    }

    /// Receives the next message, which is waiting.
    #[inline]
    pub(crate) fn receive(&self) {
        let received = self.receiver.received.load(Ordering::Relaxed);
        self.receiver.received.store(received.wrapping_add(1), Ordering::Release);
    }
}
