//! What the macro's output names. No part of the interface: it changes with the macro.

pub use crate::host::{Rewrite, arg_in, arg_out, arg_scalar, arg_window, call, host_call};
pub use crate::lang::Literal;
pub use pl_core::definition::{Definition, ParamClass, ParamSignature, Signature, Source};
pub use pl_core::ir::FunctionKind;

use crate::distributed::{AtomicType, DistributedTensor, NotifyOp, ReduceOp, WaitCmp};
use crate::lang::{CastTo, Element};
use half::{bf16, f16};
use pl_core::ir::{ConstValue, Elem, Lit, ScalarType};
use pl_core::op::{AllreduceMode, EnumKind};
use std::any::Any;

/// What a call calls.
pub fn callee(definition: fn() -> Definition) -> fn() -> Definition {
    definition
}

/// `value as T`, in the copy of a body.
pub fn cast<T, S: CastTo<T>>(value: S) -> T {
    let _ = value;
    unreachable!("the copy of a body is never run")
}

/// What stands in the copy of a body for a window that is not given.
pub fn no_window() -> DistributedTensor<i32> {
    unreachable!("the copy of a body is never run")
}

/// The value of a constant. A type that no constant of a kernel can have is an error of the body's type check: here it must not be a second one.
pub fn constant(value: impl Any) -> ConstValue {
    fn of<T: Any + Copy>(value: &dyn Any) -> Option<T> {
        value.downcast_ref().copied()
    }
    fn elem<T: Element>() -> ScalarType {
        ScalarType::Elem(Elem::Known(T::DTYPE))
    }
    macro_rules! first_of {
        ($($type:ty => |$v:ident| $value:expr;)*) => {
            $(if let Some($v) = of::<$type>(&value) { return $value; })*
        };
    }
    first_of! {
        usize => |v| ConstValue::Scalar(Lit::Int(v as i128), ScalarType::Index);
        bool => |v| ConstValue::Scalar(Lit::Bool(v), ScalarType::Bool);
        f32 => |v| ConstValue::Scalar(Lit::Float(f64::from(v)), elem::<f32>());
        f16 => |v| ConstValue::Scalar(Lit::Float(f64::from(v)), elem::<f16>());
        bf16 => |v| ConstValue::Scalar(Lit::Float(f64::from(v)), elem::<bf16>());
        i8 => |v| ConstValue::Scalar(Lit::Int(i128::from(v)), elem::<i8>());
        i16 => |v| ConstValue::Scalar(Lit::Int(i128::from(v)), elem::<i16>());
        i32 => |v| ConstValue::Scalar(Lit::Int(i128::from(v)), elem::<i32>());
        i64 => |v| ConstValue::Scalar(Lit::Int(i128::from(v)), elem::<i64>());
        u8 => |v| ConstValue::Scalar(Lit::Int(i128::from(v)), elem::<u8>());
        u32 => |v| ConstValue::Scalar(Lit::Int(i128::from(v)), elem::<u32>());
        NotifyOp => |v| ConstValue::Enum(EnumKind::NotifyOp, v.value());
        WaitCmp => |v| ConstValue::Enum(EnumKind::WaitCmp, v.value());
        AtomicType => |v| ConstValue::Enum(EnumKind::AtomicType, v.value());
        ReduceOp => |v| ConstValue::Enum(EnumKind::ReduceOp, v.value());
        AllreduceMode => |v| ConstValue::Enum(EnumKind::AllreduceMode, v.wire());
    }
    ConstValue::Scalar(Lit::Int(0), ScalarType::Index)
}

/// A text that is put together while rustc evaluates constants.
struct Message {
    bytes: [u8; 1024],
    len: usize,
}

impl Message {
    const fn new() -> Message {
        Message { bytes: [0; 1024], len: 0 }
    }

    /// Appends what of `text` still fits.
    const fn text(mut self, text: &str) -> Message {
        let bytes = text.as_bytes();
        let mut fits = bytes.len();
        if fits > self.bytes.len() - self.len {
            fits = self.bytes.len() - self.len;
            // Not in the middle of a character.
            while fits > 0 && bytes[fits] & 0xc0 == 0x80 {
                fits -= 1;
            }
        }
        let mut i = 0;
        while i < fits {
            self.bytes[self.len] = bytes[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    const fn int(self, value: i128) -> Message {
        let mut digits = [0; 40];
        let mut at = digits.len();
        let mut rest = value.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        let message = if value < 0 { self.text("-") } else { self };
        match str::from_utf8(digits.split_at(at).1) {
            Ok(text) => message.text(text),
            Err(_) => message,
        }
    }

    const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }

    const fn help(self, help: &str) -> Message {
        if help.is_empty() { self } else { self.text("\nhelp: ").text(help) }
    }
}

/// The two sides must be equal.
#[track_caller]
pub const fn check_eq(left: i128, right: i128, message: &str, help: &str) {
    if left != right {
        panic!(
            "{}",
            Message::new().text(message).text(" (").int(left).text(" and ").int(right).text(")").help(help).as_str()
        );
    }
}

/// The left side must be at most the right one.
#[track_caller]
pub const fn check_le(left: i128, right: i128, message: &str, help: &str) {
    if left > right {
        panic!(
            "{}",
            Message::new().text(message).text(" (").int(left).text(" > ").int(right).text(")").help(help).as_str()
        );
    }
}

/// The value must not be zero.
#[track_caller]
pub const fn check_non_zero(value: i128, message: &str, help: &str) {
    if value == 0 {
        panic!("{}", Message::new().text(message).help(help).as_str());
    }
}

/// An enum argument must have the one value that is implemented.
#[track_caller]
pub const fn check_only(value: i32, only: i32, before: &str, after: &str, help: &str) {
    if value != only {
        panic!("{}", Message::new().text(before).int(value as i128).text(after).help(help).as_str());
    }
}

/// A called function must be of a level that the caller calls, and have its generic arguments written out. rustc itself asks for const arguments,
/// which nothing else can tell; types it would infer.
#[track_caller]
pub const fn check_callee(callee: &Signature, plain: bool, caller: FunctionKind) {
    let mut allowed = false;
    let mut i = 0;
    while i < caller.calls().len() {
        allowed |= caller.calls()[i] as u8 == callee.kind as u8;
        i += 1;
    }
    if !allowed {
        use FunctionKind::{Host, InCore, Inline, Orchestration};
        let (what, help) = match (caller, callee.kind) {
            (InCore | Inline, Orchestration) => (
                "cannot be called from a kernel",
                "kernels are called by it, not the other way round: launch it from the host",
            ),
            (InCore | Inline, Host) => (
                "cannot be called from a kernel",
                "kernels are dispatched by it, not the other way round: run it from the host",
            ),
            (InCore | Inline, _) => (
                "cannot be called from another one",
                "declare it `#[pl::function(Inline)]`, or launch it from the host",
            ),
            (Orchestration, Host) => (
                "cannot be called from an Orchestration function",
                "an Orchestration function calls kernels, which are InCore functions; a Host function is run from the host",
            ),
            (Orchestration, Orchestration) => {
                ("cannot be called from another one", "call its kernels here, in the same order")
            }
            (Orchestration, _) => (
                "cannot be called from an Orchestration function",
                "declare it `#[pl::function(InCore)]`, or call it from a kernel",
            ),
            (Host, Host) => ("cannot be called from another one", "run one after the other from the host"),
            (Host, _) => {
                ("cannot be dispatched to a device", "declare it `#[pl::function(InCore)]`, or call it from a kernel")
            }
        };
        let level = match callee.kind {
            InCore => "` is a kernel and ",
            Inline => "` is an Inline function and ",
            Orchestration => "` is an Orchestration function and ",
            Host => "` is a Host function and ",
        };
        panic!("{}", Message::new().text("`").text(callee.name).text(level).text(what).help(help).as_str());
    }
    if plain && callee.consts.is_empty() && !callee.types.is_empty() {
        let message = Message::new().text("`").text(callee.name).text("` is called without its generic arguments");
        let help = Message::new().text("write them out: `").text(callee.name).text("::<f32>(…)`");
        panic!("{}", message.help(help.as_str()).as_str());
    }
}

/// What a caller knows of an argument.
pub struct CallArgument {
    /// Its name in the caller.
    pub name: &'static str,
    /// Whether it is an `In` parameter of the caller.
    pub read_only: bool,
    /// Its constant extents.
    pub extents: &'static [Option<usize>],
}

/// An argument must have the rank and the constant extents of its parameter, and be writable where the callee writes. Count and kind are rustc's own
/// errors, in the copy of the body.
#[track_caller]
pub const fn check_argument(callee: &Signature, index: usize, argument: &CallArgument) {
    if index >= callee.params.len() {
        return;
    }
    let param = &callee.params[index];
    if matches!(param.kind, ParamClass::Scalar) {
        return;
    }
    let start = Message::new()
        .text("`")
        .text(argument.name)
        .text("` as the argument `")
        .text(param.name)
        .text("` of `")
        .text(callee.name)
        .text("` ");
    if param.written && argument.read_only {
        let message = start.text("is written there, and is an `In` parameter here");
        panic!("{}", message.help("declare it `pl::Out<…>`, or `pl::InOut<…>` if it is read too").as_str());
    }
    if param.extents.len() != argument.extents.len() {
        let message = start
            .text("has ")
            .int(argument.extents.len() as i128)
            .text(if argument.extents.len() == 1 { " axis, expected " } else { " axes, expected " })
            .int(param.extents.len() as i128);
        panic!("{}", message.help("pass memory of the rank that the function declares").as_str());
    }
    let mut axis = 0;
    while axis < param.extents.len() {
        if let (Some(found), Some(expected)) = (argument.extents[axis], param.extents[axis])
            && found != expected
        {
            let message = start
                .text("has extent ")
                .int(found as i128)
                .text(" in axis ")
                .int(axis as i128)
                .text(", expected ")
                .int(expected as i128);
            panic!("{}", message.help("the shapes of argument and parameter must agree").as_str());
        }
        axis += 1;
    }
}

/// The mode that a constant names, where it is right: a wrong one is an error of [`mode`].
pub fn mode_of(value: impl Any) -> AllreduceMode {
    match (&value as &dyn Any).downcast_ref::<&'static str>() {
        Some(text) => mode(text),
        None => AllreduceMode::Mesh,
    }
}

/// The mode of an allreduce that a constant names.
#[track_caller]
pub const fn mode(text: &str) -> AllreduceMode {
    if is(text, "mesh") {
        return AllreduceMode::Mesh;
    }
    if is(text, "ring") {
        return AllreduceMode::Ring;
    }
    let message = Message::new().text("an allreduce has no mode `\"").text(text).text("\"`");
    let help = if is_near(text, "mesh") {
        "did you mean `\"mesh\"`? it is `\"mesh\"` or `\"ring\"`"
    } else if is_near(text, "ring") {
        "did you mean `\"ring\"`? it is `\"mesh\"` or `\"ring\"`"
    } else {
        "it is `\"mesh\"` or `\"ring\"`"
    };
    panic!("{}", message.help(help).as_str())
}

/// Whether two texts are the same.
const fn is(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut same = a.len() == b.len();
    let mut i = 0;
    while same && i < a.len() {
        same = a[i] == b[i];
        i += 1;
    }
    same
}

/// Whether one text is a misspelling of the other: but for capitals, two letters of it at most are missing, added or others.
const fn is_near(found: &str, name: &str) -> bool {
    let (a, b) = (found.as_bytes(), name.as_bytes());
    if a.len() > b.len() + 2 || b.len() >= 8 {
        return false;
    }
    // One row of the table of edit distances at a time.
    let mut row = [0; 8];
    let mut j = 0;
    while j <= b.len() {
        row[j] = j;
        j += 1;
    }
    let mut i = 0;
    while i < a.len() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        j = 0;
        while j < b.len() {
            let replaced = diagonal + !a[i].eq_ignore_ascii_case(&b[j]) as usize;
            diagonal = row[j + 1];
            let mut best = replaced;
            if row[j] + 1 < best {
                best = row[j] + 1;
            }
            if diagonal + 1 < best {
                best = diagonal + 1;
            }
            row[j + 1] = best;
            j += 1;
        }
        i += 1;
    }
    row[b.len()] <= 2
}

/// An integer without an enum variant.
#[track_caller]
pub(crate) const fn no_variant(name: &str, value: i32, help: &str) -> ! {
    let message = Message::new().text("`pld::").text(name).text("` has no variant with the value ").int(value as i128);
    panic!("{}", message.help(help).as_str())
}

/// A constant extent; `None` for what is no extent, which other checks report.
pub const fn extent(value: i128) -> Option<usize> {
    if value >= 0 && value <= usize::MAX as i128 { Some(value as usize) } else { None }
}

/// A sum. What does not fit is as large as can be: other checks report it.
pub const fn sum(a: i128, b: i128) -> i128 {
    a.saturating_add(b)
}

/// A difference.
pub const fn difference(a: i128, b: i128) -> i128 {
    a.saturating_sub(b)
}

/// A product.
pub const fn product(a: i128, b: i128) -> i128 {
    a.saturating_mul(b)
}

/// A quotient; of a division by zero, which has its own check, 0.
pub const fn quotient(a: i128, b: i128) -> i128 {
    if b == 0 { 0 } else { a.saturating_div(b) }
}

/// A remainder; of a division by zero, which has its own check, 0.
pub const fn remainder(a: i128, b: i128) -> i128 {
    if b == 0 { 0 } else { a.wrapping_rem(b) }
}

/// The lesser of two integers.
pub const fn least(a: i128, b: i128) -> i128 {
    if b < a { b } else { a }
}

/// The greater of two integers.
pub const fn greatest(a: i128, b: i128) -> i128 {
    if a < b { b } else { a }
}
