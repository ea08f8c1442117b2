//! The table as a page for people: `docs/ops.md`.

use super::{
    Access, Chunks, Cost, Default, Dim, EnumKind, OpCode, OpInfo, ParamInfo, ParamKind, ResultKind, Space, TypeArg,
};
use crate::dtype::DType;
use core::fmt::Write;

/// The modules of the ops, in the order in which the page shows them.
const MODULES: &[(&str, &str)] = &[
    ("pl", "Tiles, and the memory of the own rank"),
    ("pld", "The domain"),
    ("pld::system", "Signals"),
    ("pld::tile", "Tiles of other ranks"),
    ("pld::tensor", "Collectives: every rank of the domain takes part"),
];

const HEAD: &str = "\
# Ops

<!-- Generated from the op table (pl-core/src/op/table.rs). PL_BLESS=1 cargo test -p pl-core --test reference writes it anew. -->

Every op of the language. Arguments are positional or named (`peer = …`), positional ones first; a parameter with a default may be left
out. P is the number of ranks of the domain. How to add one: [add-an-op.md](add-an-op.md).
";

/// The reference page: every op, its parameters, what it asks for and what it costs; and the enums. Markdown.
pub fn reference() -> String {
    let mut page = String::from(HEAD);
    page += "\n| op | what it does |\n|---|---|\n";
    for (module, _) in MODULES {
        for info in ops_of(module) {
            let _ = writeln!(page, "| [`{}`](#{}) | {} |", info.path, anchor(info.path), info.doc);
        }
    }
    for (module, title) in MODULES {
        let _ = writeln!(page, "\n## {title}");
        for info in ops_of(module) {
            op(&mut page, info);
        }
    }
    enums(&mut page);
    page
}

fn ops_of(module: &str) -> impl Iterator<Item = &'static OpInfo> {
    OpCode::ALL
        .iter()
        .map(|op| op.info())
        .filter(move |info| !info.internal && info.path.rsplit_once("::").is_some_and(|(m, _)| m == module))
}

/// How a heading that is nothing but code is linked to.
fn anchor(heading: &str) -> String {
    heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).collect()
}

fn op(page: &mut String, info: &OpInfo) {
    let _ = writeln!(page, "\n### `{}`\n\n{}\n\n```rust\n{}\n```\n", info.path, info.doc, info.example);
    *page += "| parameter | takes | default |\n|---|---|---|\n";
    for param in info.params {
        let default = match (param.default, param.kind) {
            (None, _) => String::new(),
            (Some(Default::Int(value)), _) => format!("`{value}`"),
            (Some(Default::Bool(value)), _) => format!("`{value}`"),
            (Some(Default::Absent), _) => "left out".into(),
            (Some(Default::Enum(value)), ParamKind::Enum(kind)) => variant(kind, value),
            (Some(Default::Enum(value)), _) => format!("{value}"),
        };
        let _ = writeln!(page, "| `{}` | {} | {default} |", param.name, takes(info, param));
    }
    *page += "\n";
    if info.type_arg == TypeArg::Required {
        let _ = writeln!(page, "- **Type argument**: the element type of the result, `{}::<f32>(…)`", info.path);
    }
    let _ = writeln!(page, "- **Result**: {}", result(info));
    for (param, allowed) in info.dtypes {
        let _ = writeln!(page, "- **Element type** of {}: {}", name(info, *param), dtypes(allowed));
    }
    for (param, alternatives) in info.shapes {
        let alternatives: Vec<String> = alternatives.iter().map(|a| shape(a)).collect();
        let _ = writeln!(page, "- **Shape** of {}: {}", name(info, *param), alternatives.join(" or "));
    }
    for (a, b) in info.distinct {
        let _ = writeln!(page, "- {} and {} are different memory", name(info, *a), name(info, *b));
    }
    if !info.together.is_empty() {
        let names: Vec<String> = info.together.iter().map(|param| name(info, *param)).collect();
        let _ = writeln!(page, "- {}: all are given, or none", names.join(", "));
    }
    if let Some(when) = info.when
        && let Some(ParamInfo { kind: ParamKind::Enum(kind), .. }) = info.params.get(usize::from(when.param))
    {
        let (param, value) = (name(info, when.param), variant(*kind, when.value));
        let _ = writeln!(page, "- {param} as {value} asks for an **element type** among {}", dtypes(when.dtypes));
    }
    if let Some(chunks) = info.chunks {
        self::chunks(page, info, chunks);
    }
    if let Some(only) = info.only
        && let Some(ParamInfo { kind: ParamKind::Enum(kind), .. }) = info.params.get(usize::from(only.param))
    {
        let _ = writeln!(
            page,
            "- {} is {}: other values are not implemented yet",
            name(info, only.param),
            variant(*kind, only.value)
        );
    }
    let _ = writeln!(page, "- **Cost**: {}", cost(info.cost));
    if let Some(lowering) = info.lowering {
        let functions: Vec<String> = lowering.functions.iter().map(|f| format!("`{f}`")).collect();
        let _ = writeln!(page, "- **Lowered** to {} of the collectives library", functions.join(" or "));
    }
}

/// What the parameters mean by which a bulk transfer is split.
fn chunks(page: &mut String, info: &OpInfo, chunks: Chunks) {
    let [rows, cols, pipeline] = [0, 1, 2].map(|behind| name(info, chunks.rows + behind));
    let _ = writeln!(
        page,
        "- **Chunks**: the transfer goes through tile memory. {rows} and {cols} bound how much of that it takes at a time: so many rows, of all axes but the last, \
         and so many elements of the last axis. `0` is no bound: the box is held in its whole extent there. An extent that is no constant needs the matching chunk. \
         With {pipeline} one chunk is read while another is written: twice the tile memory, and both chunks are needed. All three are constants, and change \
         neither what is moved nor what it costs"
    );
}

fn name(info: &OpInfo, param: u8) -> String {
    info.params.get(usize::from(param)).map_or_else(|| "?".into(), |p| format!("`{}`", p.name))
}

fn takes(info: &OpInfo, param: &ParamInfo) -> String {
    match param.kind {
        ParamKind::Memory(access, space) => {
            let space = match space {
                Space::Any => "a tensor or window",
                Space::Window => "a window",
            };
            let access = match access {
                Access::Name => "",
                Access::Read => ", read",
                Access::Write => ", written",
                Access::ReadWrite => ", read and written",
                Access::Notify => ", its cells are changed",
                Access::Wait => ", its cells are compared",
            };
            format!("{space}{access}")
        }
        ParamKind::Tile => "a tile".into(),
        ParamKind::TileOrScalar(of) => format!("a tile like {0}, or a scalar of its element type", name(info, of)),
        ParamKind::Element(of) => format!("a scalar of the element type of {}", name(info, of)),
        ParamKind::TypeElement => "a scalar of the type argument".into(),
        ParamKind::I32 => "an `i32`".into(),
        ParamKind::Peer => "a rank of the domain, `usize`".into(),
        ParamKind::Index => "a `usize`".into(),
        ParamKind::Flag => "a constant `bool`".into(),
        ParamKind::Buffer => "a window buffer".into(),
        ParamKind::Offsets(of) => format!("a list of `usize`, one offset per axis of {}", name(info, of)),
        ParamKind::Shape(of) => format!("a list of `usize`, one extent per axis of {}", name(info, of)),
        ParamKind::Extents => "a list of `usize`, the extents".into(),
        ParamKind::Enum(kind) => {
            format!("a [`pld::{}`](#{}), constant", kind.name(), anchor(&format!("pld::{}", kind.name())))
        }
        ParamKind::Context => "a communication context".into(),
    }
}

fn result(info: &OpInfo) -> String {
    match info.result {
        ResultKind::None => "none".into(),
        ResultKind::Memory(of) => format!("{0}, to rebind its name; may be left unused", name(info, of)),
        ResultKind::Box(memory, shape) => {
            format!("a tile with the element type of {} and the extents {}", name(info, memory), name(info, shape))
        }
        ResultKind::Like(of) => format!("a tile like {}", name(info, of)),
        ResultKind::CastOf(of) => {
            format!("a tile with the extents of {} and the type argument as element type", name(info, of))
        }
        ResultKind::Filled(shape) => {
            format!("a tile with the extents {} and the type argument as element type", name(info, shape))
        }
        ResultKind::Element(of) => format!("a scalar of the element type of {}", name(info, of)),
        ResultKind::Rank | ResultKind::Nranks | ResultKind::Index => "a `usize`".into(),
        ResultKind::View(of, shape) => format!("{}, with the extents {}", name(info, of), name(info, shape)),
        ResultKind::Part(of) => format!("a part of {}, without its outermost axis", name(info, of)),
        ResultKind::Buffer => "a window buffer".into(),
        ResultKind::Window(shape) => {
            format!("a window with the extents {} and the type argument as element type", name(info, shape))
        }
        ResultKind::Context => "a communication context".into(),
    }
}

fn dtypes(allowed: &[DType]) -> String {
    if allowed.len() == DType::ALL.len() {
        return "any".into();
    }
    allowed.iter().map(|d| format!("`{d}`")).collect::<Vec<_>>().join(", ")
}

fn shape(dims: &[Dim]) -> String {
    let dims: Vec<String> = dims
        .iter()
        .map(|dim| match dim {
            Dim::World => "P".into(),
            Dim::Exactly(n) => n.to_string(),
            Dim::Free(name) => (*name).into(),
            Dim::PerRank(name) => format!("P * {name}"),
            Dim::Rounds => "2 * (P - 1)".into(),
        })
        .collect();
    format!("`[{}]`", dims.join(", "))
}

fn cost(cost: Cost) -> String {
    match cost {
        Cost::Local => "local work only".into(),
        Cost::Pull => "receives the bytes of the box".into(),
        Cost::Push => "the peer receives the bytes of the box".into(),
        Cost::Notify => "one notify, to a peer or to the own rank".into(),
        Cost::Wait => "one wait".into(),
        Cost::Composite { credits } => format!("that of its lowering; credits per peer and call: {credits}"),
    }
}

fn variant(kind: EnumKind, value: i32) -> String {
    let name = usize::try_from(value).ok().and_then(|v| kind.variants().get(v));
    format!("`{}`", kind.written(name.unwrap_or(&"?")))
}

fn enums(page: &mut String) {
    *page += "\n## Enums\n\nThe integers are what goes over the wire.\n";
    let of_kernels = |kind: &EnumKind| {
        OpCode::ALL.iter().map(|op| op.info()).filter(|info| !info.internal).any(|info| info.takes(*kind))
    };
    for kind in EnumKind::ALL.iter().filter(|kind| of_kernels(kind)) {
        let _ = writeln!(page, "\n### `pld::{}`\n\n| value | integer |\n|---|---|", kind.name());
        for (value, name) in kind.variants().iter().enumerate() {
            let name = if kind.is_string() { kind.written(name) } else { (*name).into() };
            let _ = writeln!(page, "| `{name}` | {value} |");
        }
    }
}
