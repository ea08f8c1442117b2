// Names of generated things, of the prelude, raw and Unicode names.
#![deny(warnings)]
#![allow(non_camel_case_types, dead_code, uncommon_codepoints, non_snake_case, unused_macros)]

struct Some;
struct None;
struct Vec;
struct String;
struct Option;
struct Result;
struct Box;
struct Ok;
struct Sized;
struct Definition;
struct Signature;
struct Call;
struct Element;
struct Literal;
mod core {}
mod std {}
mod ndarray {}
mod half {}

trait Any {}
trait Add {}

macro_rules! vec {
    () => {};
}
macro_rules! panic {
    () => {};
}

#[pl::function(InCore)]
fn ir(ir: usize, __definition: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let __call = ir;
    let __SIGNATURE = __definition;
    pl::write(y, [__call + __SIGNATURE], 1.0);
}

#[pl::function(InCore)]
fn r#match(r#type: usize, r#fn: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let r#loop = r#type;
    pl::write(r#fn, [r#loop], 1.0);
}

#[pl::function(InCore, dynamic(GRÖSSE))]
fn größe(länge: usize, 文: pl::InOut<pl::Tensor<f32, { [GRÖSSE] }>>) {
    let ω = länge + 1;
    pl::write(文, [ω], 1.0);
}

#[pl::function(Inline)]
fn value(result: usize, unused: usize, poison: usize, before: usize) -> usize {
    let value = result + unused;
    value + poison + before
}

#[pl::function(InCore)]
fn call(call: usize, args: usize, signature: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let load = pl::load(y, [0], [8]);
    let add = pl::add(load, load);
    let store = value(call, args, signature, 1);
    pl::store(add, [0], y);
    pl::write(y, [store], 1.0);
}

#[pl::function(InCore)]
fn load(pl: usize, pld: usize, f32: usize, usize: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [pl + pld + f32 + usize], 1.0);
}

fn main() {
    assert!(ir::ir().text().is_ok());
    assert!(r#match::ir().text().is_ok());
    assert!(größe::ir().text().is_ok());
    assert!(call::ir().text().is_ok());
    assert!(load::ir().text().is_ok());
}
