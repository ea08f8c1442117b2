//! A schedule as a value, and as a token.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The schedule of one run of an exploration's body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Schedule {
    /// The launches that it made, in their order.
    pub(super) launches: Vec<OfLaunch>,
}

/// The schedule of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OfLaunch {
    /// What was launched.
    pub(super) print: Print,
    /// Who executes how many ops that others can see, one after the other: numbers of calls.
    pub(super) segments: Vec<(u32, u64)>,
}

/// What was launched, as far as a schedule depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Print {
    /// The number of calls.
    pub(super) calls: u32,
    /// A hash of the arguments: shapes of memories, values of scalars.
    pub(super) arguments: u32,
    /// One of the options that change what happens.
    pub(super) options: u32,
    /// One of the plans.
    pub(super) plans: u32,
}

/// The FNV-1a hash of 32 bits: the same in every release and on every machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u32);

impl Default for Hash {
    fn default() -> Self {
        Hash(0x811c_9dc5)
    }
}

impl Hash {
    pub(super) fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }

    pub(super) fn of(text: &str) -> u32 {
        let mut hash = Hash::default();
        hash.write(text.as_bytes());
        hash.0
    }
}

/// Text that is written into a hash.
impl std::fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.write(text.as_bytes());
        Ok(())
    }
}

impl Hash {
    pub(super) const fn value(self) -> u32 {
        self.0
    }
}

impl OfLaunch {
    /// One more step.
    pub(super) fn push(&mut self, call: u32) {
        match self.segments.last_mut() {
            Some((last, count)) if *last == call => *count += 1,
            _ => self.segments.push((call, 1)),
        }
    }
}

/// What every token begins with; the number is that of the format.
const PREFIX: &str = "pl1.";

impl Schedule {
    /// How many steps it has.
    pub(super) fn steps(&self) -> u64 {
        self.launches.iter().flat_map(|launch| &launch.segments).map(|(_, count)| count).sum()
    }

    pub(super) fn token(&self) -> String {
        let mut bytes = vec![];
        number(&mut bytes, self.launches.len() as u64);
        for OfLaunch { print, segments } in &self.launches {
            number(&mut bytes, u64::from(print.calls));
            for hash in [print.arguments, print.options, print.plans] {
                bytes.extend(hash.to_le_bytes());
            }
            number(&mut bytes, segments.len() as u64);
            for (call, count) in segments {
                number(&mut bytes, u64::from(*call));
                number(&mut bytes, *count);
            }
        }
        let mut hash = Hash::default();
        hash.write(&bytes);
        bytes.extend(&hash.value().to_le_bytes()[..2]);
        PREFIX.to_owned() + &URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The schedule of a token; what is wrong with it.
    pub(super) fn from_token(token: &str) -> Result<Schedule, String> {
        let token = token.trim();
        let Some(encoded) = token.strip_prefix(PREFIX) else {
            let versioned = token.strip_prefix("pl").and_then(|t| t.split_once('.')).map(|(version, _)| version);
            return Err(match versioned.filter(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit())) {
                Some(version) => format!("it has version {version}, and this release reads version 1"),
                None => format!("it does not begin with `{PREFIX}`"),
            });
        };
        let damaged = || "it is damaged: some of its characters are missing or were changed".to_owned();
        let bytes = URL_SAFE_NO_PAD.decode(encoded).map_err(|_| damaged())?;
        let Some((mut bytes, check)) = bytes.split_last_chunk::<2>() else { return Err(damaged()) };
        let mut hash = Hash::default();
        hash.write(bytes);
        if hash.value().to_le_bytes()[..2] != check[..] {
            return Err(damaged());
        }
        let schedule = read(&mut bytes).ok_or_else(damaged)?;
        if bytes.is_empty() { Ok(schedule) } else { Err(damaged()) }
    }
}

fn number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 127) << shift;
        if first & 128 == 0 {
            return Some(value);
        }
    }
    None
}

fn read(bytes: &mut &[u8]) -> Option<Schedule> {
    let mut schedule = Schedule::default();
    for _ in 0..read_number(bytes)? {
        let calls = u32::try_from(read_number(bytes)?).ok()?;
        let mut hash = || {
            let (first, rest) = bytes.split_first_chunk::<4>()?;
            *bytes = rest;
            Some(u32::from_le_bytes(*first))
        };
        let print = Print { calls, arguments: hash()?, options: hash()?, plans: hash()? };
        let mut segments = vec![];
        for _ in 0..read_number(bytes)? {
            segments.push((u32::try_from(read_number(bytes)?).ok()?, read_number(bytes)?));
        }
        schedule.launches.push(OfLaunch { print, segments });
    }
    Some(schedule)
}

impl Print {
    /// What of a launch differs from the one that a token was made with.
    pub(super) fn changed(&self, now: &Print) -> Option<String> {
        if self.calls != now.calls {
            return Some(format!("it was made with {} ranks, and the launch has {}", self.calls, now.calls));
        }
        if self.arguments != now.arguments {
            return Some("the arguments have other shapes, or other scalars, than when it was made".into());
        }
        if self.options != now.options {
            return Some("the launch has other options than when it was made: checks, injected faults".into());
        }
        (self.plans != now.plans).then(|| "the kernels have changed since it was made, or the release of pl has".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        let print = Print { calls: 3, arguments: 7, options: u32::MAX, plans: 12345 };
        let mut first = OfLaunch { print, segments: vec![] };
        [0, 0, 2, 1, 1, 1].into_iter().for_each(|call| first.push(call));
        first.segments.push((2, 1 << 40));
        let second = OfLaunch { print: Print { plans: 3, ..print }, segments: vec![] };
        Schedule { launches: vec![first, second] }
    }

    #[test]
    fn a_token_is_its_schedule() {
        let token = schedule().token();
        assert_eq!(Schedule::from_token(&token), Ok(schedule()));
        assert_eq!(Schedule::from_token(&format!(" {token}\n")), Ok(schedule()));
        assert_eq!(schedule().launches[0].segments[..3], [(0, 2), (2, 1), (1, 3)]);
        assert_eq!(schedule().steps(), 6 + (1 << 40));
    }

    #[test]
    fn what_is_no_token_is_told() {
        let token = schedule().token();
        for at in 0..token.len() {
            assert!(Schedule::from_token(&token[..at]).is_err());
            let mut other = token.clone();
            other.replace_range(at..=at, if &token[at..=at] == "A" { "B" } else { "A" });
            assert!(Schedule::from_token(&other).is_err(), "{other}");
        }
        let error = |token: &str| Schedule::from_token(token).unwrap_err();
        assert_eq!(error("pl27.AAAA"), "it has version 27, and this release reads version 1");
        assert_eq!(error("something"), "it does not begin with `pl1.`");
        assert!(error("pl1.").contains("damaged"));
    }

    #[test]
    fn what_changed_is_told() {
        let made = schedule().launches[0].print;
        assert_eq!(made.changed(&made), None);
        for (now, what) in [
            (Print { calls: 2, plans: 1, ..made }, "3 ranks"),
            (Print { arguments: 1, plans: 1, ..made }, "shapes"),
            (Print { options: 1, ..made }, "options"),
            (Print { plans: 1, ..made }, "kernels"),
        ] {
            assert!(made.changed(&now).is_some_and(|text| text.contains(what)), "{now:?}");
        }
    }
}
