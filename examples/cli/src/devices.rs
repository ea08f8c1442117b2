//! The device list of `-d`: ids and ranges, `0,1`, `0-6`, `4,9`, `0-3,8`.

use std::str::FromStr;

/// The most devices that a list may name: the arrays of an example grow with the square of their number.
const MOST: usize = 4096;

/// The ids of the devices, in the order they were given: rank r runs on the r-th.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Devices(pub Vec<u32>);

impl FromStr for Devices {
    type Err = String;

    fn from_str(list: &str) -> Result<Devices, String> {
        let mut ids = vec![];
        if list.trim().is_empty() {
            return Err("the list is empty; give ids and ranges, such as `0,1` or `0-3`".into());
        }
        for part in list.split(',').map(str::trim) {
            let (first, last) = match part.split_once('-') {
                Some((first, last)) => (id(first, part)?, id(last, part)?),
                None => (id(part, part)?, id(part, part)?),
            };
            if first > last {
                return Err(format!("the range `{part}` runs backwards; write `{last}-{first}`"));
            }
            if (last - first) as usize >= MOST - ids.len() {
                return Err(format!("the list names more than {MOST} devices, the most that an example runs on"));
            }
            ids.extend(first..=last);
        }
        Ok(Devices(ids))
    }
}

/// One id of a part of the list.
fn id(text: &str, part: &str) -> Result<u32, String> {
    let text = text.trim();
    if part.is_empty() {
        return Err("an id is missing between two commas; give ids and ranges, such as `0,1` or `0-3`".into());
    }
    text.parse().map_err(|_| format!("`{part}` is neither a device id nor a range of them, such as `2` or `0-3`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(list: &str) -> Vec<u32> {
        list.parse::<Devices>().unwrap().0
    }

    #[test]
    fn ids_and_ranges() {
        assert_eq!(ids("0,1"), [0, 1]);
        assert_eq!(ids("0-6"), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(ids("4,9"), [4, 9]);
        assert_eq!(ids("0-2,8, 5-5"), [0, 1, 2, 8, 5]);
        assert_eq!(ids("3"), [3]);
        assert_eq!(ids("0,0"), [0, 0], "a repeated id is for the world to refuse");
    }

    #[test]
    fn slips() {
        let error = |list: &str| list.parse::<Devices>().unwrap_err();
        assert_eq!(error(" "), "the list is empty; give ids and ranges, such as `0,1` or `0-3`");
        assert_eq!(error("3-1"), "the range `3-1` runs backwards; write `1-3`");
        assert_eq!(error("0,x"), "`x` is neither a device id nor a range of them, such as `2` or `0-3`");
        assert_eq!(error("-1"), "`-1` is neither a device id nor a range of them, such as `2` or `0-3`");
        assert_eq!(error("0,,1"), "an id is missing between two commas; give ids and ranges, such as `0,1` or `0-3`");
        assert_eq!(error("0-4000000000"), "the list names more than 4096 devices, the most that an example runs on");
        assert_eq!(error("0-4095,5000"), error("0-4096"));
        assert_eq!(ids("0-4095").len(), 4096);
    }
}
