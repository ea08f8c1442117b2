//! A JSON value of our own: the one that programs commonly use compares with numbers, and a type that is left to be inferred from such a comparison,
//! as in `assert_eq!(y, Array2::zeros((2, 2)))`, would no longer be found in any program that uses this library.

use std::fmt::{self, Display, Formatter, Write};
use std::ops::Index;

/// A JSON value. `{}` writes it in one line, the fields of an object in their order, and `{:#}` over several lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without a fraction.
    Integer(i128),
    /// A number with one; `null` where it is not finite.
    Float(f64),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Json>),
    /// Fields.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// The field of this name, of an object that has it.
    pub fn get(&self, field: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|(name, _)| *name == field).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number, of one without a fraction.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Json::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The entries, of a list; of anything else none.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Json>>(items: I) -> Json {
        Json::Array(items.into_iter().collect())
    }
}

/// The field of an object; [`Json::Null`] where it has none.
impl Index<&str> for Json {
    type Output = Json;

    fn index(&self, field: &str) -> &Json {
        self.get(field).unwrap_or(&Json::Null)
    }
}

/// The entry of a list; [`Json::Null`] where it has none.
impl Index<usize> for Json {
    type Output = Json;

    fn index(&self, number: usize) -> &Json {
        self.items().get(number).unwrap_or(&Json::Null)
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, if f.alternate() { Some(0) } else { None })
    }
}

impl Json {
    /// `depth` is how deep it stands, where it is laid out over several lines.
    fn write(&self, f: &mut Formatter<'_>, depth: Option<usize>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Integer(number) => write!(f, "{number}"),
            Json::Float(number) if number.is_finite() => write!(f, "{number:?}"),
            Json::Float(_) => f.write_str("null"),
            Json::String(text) => write_text(f, text),
            Json::Array(items) => {
                // Numbers stand together.
                let depth = depth.filter(|_| items.iter().any(|item| !matches!(item, Json::Integer(_))));
                write_list(f, ['[', ']'], items, depth, |f, item, depth| item.write(f, depth))
            }
            Json::Object(fields) => write_list(f, ['{', '}'], fields, depth, |f, (name, value), depth| {
                write_text(f, name)?;
                f.write_str(if depth.is_some() { ": " } else { ":" })?;
                value.write(f, depth)
            }),
        }
    }
}

fn write_list<T>(
    f: &mut Formatter<'_>,
    [open, close]: [char; 2],
    items: &[T],
    depth: Option<usize>,
    write: impl Fn(&mut Formatter<'_>, &T, Option<usize>) -> fmt::Result,
) -> fmt::Result {
    let new_line = |f: &mut Formatter<'_>, depth: Option<usize>| match depth {
        Some(depth) if !items.is_empty() => write!(f, "\n{:1$}", "", 2 * depth),
        _ => Ok(()),
    };
    let inner = depth.map(|depth| depth + 1);
    f.write_char(open)?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_char(',')?;
        }
        new_line(f, inner)?;
        write(f, item, inner)?;
    }
    new_line(f, depth)?;
    f.write_char(close)
}

fn write_text(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

#[test]
fn texts() {
    let value = Json::Object(vec![
        ("text", Json::String("a\"b\\c\nd\te\u{1}é".into())),
        ("numbers", Json::Array(vec![Json::Integer(u64::MAX.into()), Json::Float(1e-9), Json::Float(f64::NAN)])),
        ("none", Json::Null),
        ("yes", Json::Bool(true)),
        ("empty", Json::Object(vec![])),
    ]);
    let text = value.to_string();
    assert_eq!(
        text,
        r#"{"text":"a\"b\\c\nd\te\u0001é","numbers":[18446744073709551615,1e-9,null],"none":null,"yes":true,"empty":{}}"#
    );
    assert_eq!(value["numbers"][0].as_integer(), Some(u64::MAX.into()));
    let pretty = "[\n  {\n    \"a\": [1,2],\n    \"b\": {}\n  },\n  []\n]";
    let object =
        Json::Object(vec![("a", [1, 2].map(Json::Integer).into_iter().collect()), ("b", Json::Object(vec![]))]);
    assert_eq!(format!("{:#}", Json::Array(vec![object, Json::Array(vec![])])), pretty);
    assert_eq!((&value["no"]["such"][3], value["text"].as_str().is_some()), (&Json::Null, true));
}
