//! Runs every file of `filetests/`: cases of the parser and the verifier, and of the passes.
//!
//! A file holds functions, with `---` between them. Lines at its beginning, or at the beginning of a function, say how to run:
//! - `; moment: source` (or `linked`), `; bind: NR=4, SIZE=64, world=4, platform=a2a3sim`: what the verifier knows. Each function is a case of its own.
//!   All windows are of one domain of as many ranks as `world` says; `data+signal.world=2` gives these parameters another domain, of 2 ranks.
//!   What is wrong with it stands on its line as `; error: <part of the message>`, what remains to be checked of constants as `; fact: <part>`.
//!   A message without an annotation fails the case, and so does an annotation without a message.
//! - `; pass: link`, `; pass: bind`, `; pass: lower`, `; pass: program`, `; pass: cost`: the first function is the kernel, the others are those that it
//!   calls. `; library: library.txt` adds the collectives library, as the root package's tests print it. What comes out stands after `===`; `PL_BLESS=1` writes it there. `; args: [4, 64], window 0 [4, 1], scalar`
//!   are the arguments to bind.

mod support;

use pl_core::bind::{ArgShape, Bindings, Platform, WindowArg, bind, program};
use pl_core::cost::{Card, RankProgram, cards};
use pl_core::definition::{Definition, Source};
use pl_core::dtype::DType;
use pl_core::ir::{ConstValue, Elem, Function, Lit, Name, Param, ScalarType, Type};
use pl_core::op::ReduceOp;
use pl_core::pass::{Library, link, lower};
use pl_core::text::{embed, parse, parse_embedded, print};
use pl_core::verify::{Moment, verify};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[test]
fn filetests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut files = vec![];
    find(&root, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no files in {}", root.display());
    let mut failed = String::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a readable file").replace("\r\n", "\n");
        if let Err(problems) = run(file, &text) {
            let _ = writeln!(failed, "\n{}:\n{problems}", file.strip_prefix(&root).unwrap_or(file).display());
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

fn find(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|e| e == "pl") {
            files.push(path);
        }
    }
}

fn run(file: &Path, text: &str) -> Result<(), String> {
    let (input, expected) = match text.split_once("\n===\n") {
        Some((input, expected)) => (format!("{input}\n"), Some(expected)),
        None => (text.to_string(), None),
    };
    let header = Header::of(&input, &Header::default());
    let sections = sections(&input);
    let Some(pass) = &header.pass else {
        let problems: String = sections.iter().filter_map(|section| section.verify(&header).err()).collect();
        return if problems.is_empty() { Ok(()) } else { Err(problems) };
    };
    let output = run_pass(pass, &header, &sections);
    if Some(&*output) == expected {
        return Ok(());
    }
    if std::env::var_os("PL_BLESS").is_some() {
        let input = input.trim_end();
        std::fs::write(file, format!("{input}\n===\n{output}")).map_err(|e| e.to_string())?;
        return Ok(());
    }
    Err(format!(
        "--- expected\n{}--- found\n{output}PL_BLESS=1 writes what was found\n",
        expected.unwrap_or("nothing\n")
    ))
}

/// How to run.
#[derive(Clone, Debug, Default)]
struct Header {
    pass: Option<String>,
    linked: bool,
    bound: Option<Bound>,
    platform: Option<String>,
    args: Vec<ArgShape>,
    library: Option<String>,
}

/// What `; bind:` says.
#[derive(Clone, Debug, Default)]
struct Bound {
    dims: BTreeMap<Name, i64>,
    /// The number of ranks of the domain that windows are of unless something else is said.
    world: usize,
    /// Further domains: the parameters whose windows are of it, and the number of its ranks.
    domains: Vec<(Vec<String>, usize)>,
}

impl Bound {
    /// The number of the domain that a parameter's window is of, and of its ranks.
    fn domain(&self, function: &Function, param: &Param) -> (usize, usize) {
        let name = function.local_name(param.local);
        let other = self.domains.iter().position(|(names, _)| names.iter().any(|n| n == name));
        other.map_or((0, self.world), |at| (at + 1, self.domains[at].1))
    }

    /// The bindings of a function without arguments.
    fn bindings(&self, function: &Function) -> Bindings {
        let domains = std::iter::once(self.world).chain(self.domains.iter().map(|(_, ranks)| *ranks)).collect();
        let window = |p: &Param| matches!(p.ty, Type::Window(_)).then(|| self.domain(function, p).0);
        Bindings { dims: self.dims.clone(), domains, of: function.params.iter().map(window).collect() }
    }

    /// The arguments, with the domains of the windows among them.
    fn args(&self, function: &Function, args: &[ArgShape]) -> Vec<ArgShape> {
        let mut args = args.to_vec();
        for (arg, param) in args.iter_mut().zip(&function.params) {
            if let ArgShape::Memory { window: Some(window), .. } = arg {
                let (domain, ranks) = self.domain(function, param);
                (window.domain, window.ranks) = (domain as u64, ranks);
            }
        }
        args
    }
}

impl Header {
    /// What the comments at the beginning of `text` say; the rest is as in `outer`.
    fn of(text: &str, outer: &Header) -> Header {
        let mut header = outer.clone();
        for line in text.lines().take_while(|l| l.starts_with(';') || l.is_empty()) {
            let Some((key, value)) = line.trim_start_matches(';').split_once(':') else { continue };
            let value = value.trim();
            match key.trim() {
                "pass" => header.pass = Some(value.into()),
                "moment" => header.linked = value == "linked",
                "bind" => header.bind(value),
                "args" => header.args = args(value),
                "library" => header.library = Some(value.into()),
                _ => {}
            }
        }
        header
    }

    fn bind(&mut self, list: &str) {
        let mut bound = Bound::default();
        for (name, value) in list.split(',').filter_map(|item| item.trim().split_once('=')) {
            match name {
                "world" => bound.world = value.parse().expect("a number of ranks"),
                "platform" => self.platform = Some(value.into()),
                _ => match name.strip_suffix(".world") {
                    Some(params) => {
                        let params = params.split('+').map(String::from).collect();
                        bound.domains.push((params, value.parse().expect("a number of ranks")));
                    }
                    None => {
                        bound.dims.insert(name.into(), value.parse().expect("an integer"));
                    }
                },
            }
        }
        self.bound = Some(bound);
    }

    fn platform(&self) -> Platform {
        match self.platform.as_deref() {
            Some("a2a3sim") => Platform { name: "a2a3sim", tile_bytes: Some(184 * 1024) },
            Some("a5sim") => Platform { name: "a5sim", tile_bytes: Some(240 * 1024) },
            _ => Platform { name: "sim", tile_bytes: None },
        }
    }
}

/// `[4, 64], window 0 [4, 1], scalar`
fn args(list: &str) -> Vec<ArgShape> {
    let mut args = vec![];
    let mut rest = list.trim();
    while !rest.is_empty() {
        let (window, after) = match rest.strip_prefix("window ") {
            Some(after) => {
                after.split_once(' ').map(|(id, after)| (id.parse().ok(), after)).expect("a window's id and shape")
            }
            None => (None, rest),
        };
        rest = match after.strip_prefix('[') {
            Some(after) => {
                let (shape, after) = after.split_once(']').expect("a closing bracket");
                let shape = shape.split(',').map(|n| n.trim().parse().expect("an extent")).collect();
                let window = window.map(|window| WindowArg { window, domain: 0, ranks: 0 });
                args.push(ArgShape::Memory { shape, window });
                after
            }
            None => {
                args.push(ArgShape::Scalar);
                after.strip_prefix("scalar").expect("a shape or `scalar`")
            }
        };
        rest = rest.trim_start_matches([',', ' ']);
    }
    args
}

/// One function of a file.
struct Section<'t> {
    /// How many lines stand before it.
    before: u32,
    text: &'t str,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections = vec![];
    let (mut start, mut before, mut at, mut line) = (0, 0, 0, 0);
    for text_line in text.split_inclusive('\n') {
        at += text_line.len();
        line += 1;
        if text_line.trim_end() == "---" {
            sections.push(Section { before, text: &text[start..at - text_line.len()] });
            (start, before) = (at, line);
        }
    }
    sections.push(Section { before, text: &text[start..] });
    sections
}

/// Messages by kind and line.
type Messages = BTreeMap<(u32, &'static str), Vec<String>>;

impl Section<'_> {
    /// The function's text, with the line that every text begins with; a case may write it itself.
    fn source(&self) -> (String, u32) {
        let first = self.text.lines().find(|l| !l.trim_start().starts_with(';') && !l.trim().is_empty());
        match first.is_some_and(|l| l.starts_with("pl ") || self.text.starts_with("; parse as it stands")) {
            true => (self.text.into(), self.before),
            // In front of the first line, so that line numbers hold.
            false => (format!("pl 1 \n{}", self.text), self.before.wrapping_sub(1)),
        }
    }

    fn verify(&self, outer: &Header) -> Result<(), String> {
        let header = Header::of(self.text, outer);
        let (source, before) = self.source();
        let mut found = Messages::new();
        let mut problems = String::new();
        match parse(&source) {
            Err(errors) => {
                for error in errors {
                    found.entry((error.line.wrapping_add(before), "error")).or_default().push(error.message);
                }
            }
            Ok(function) => {
                found = messages(&function, &header, before, &mut problems);
                if parse(&print(&function)).as_ref() != Ok(&function) {
                    let _ =
                        writeln!(problems, "  the printed text reads back as something else:\n{}", print(&function));
                }
                // What the macro embeds says the same on the same lines.
                match parse_embedded(&embed(&function), "text") {
                    Ok(read) => {
                        let mut again = messages(&read, &header, before, &mut String::new());
                        // There, a statement's operands stand where it stands: their messages may be the same one.
                        let mut once = found.clone();
                        for messages in again.values_mut().chain(once.values_mut()) {
                            messages.sort();
                            messages.dedup();
                        }
                        if again != once {
                            let _ = writeln!(
                                problems,
                                "  the embedded text gives {again:?}, the function itself {found:?}"
                            );
                        }
                    }
                    Err(errors) => {
                        let _ = writeln!(problems, "  the embedded text does not parse: {errors:?}");
                    }
                }
            }
        }
        let mut expected = Messages::new();
        for (number, line) in (self.before + 1..).zip(self.text.lines()) {
            for part in line.split(';').skip(1) {
                for kind in ["error", "fact"] {
                    if let Some(message) = part.trim_start().strip_prefix(kind).and_then(|m| m.strip_prefix(": ")) {
                        expected.entry((number, kind)).or_default().push(message.trim().into());
                    }
                }
            }
        }
        for ((line, kind), parts) in expected {
            let mut messages = found.remove(&(line, kind)).unwrap_or_default();
            for part in parts {
                match messages.iter().position(|m| m.contains(&part)) {
                    Some(position) => drop(messages.remove(position)),
                    None => {
                        let _ = writeln!(problems, "  line {line}: no {kind} `{part}`");
                    }
                }
            }
            if !messages.is_empty() {
                found.insert((line, kind), messages);
            }
        }
        for ((line, kind), messages) in found {
            for message in messages {
                let _ = writeln!(problems, "  line {line}: unexpected {kind}: {message}");
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// The function, for a pass; it must parse.
    fn function(&self) -> Function {
        let (source, before) = self.source();
        let mut function = parse(&source).unwrap_or_else(|errors| panic!("after line {before}: {errors:?}"));
        function.places.iter_mut().for_each(|place| place.line = place.line.wrapping_add(before));
        function
    }
}

/// What the verifier says of a function, and whether each message is whole.
fn messages(function: &Function, header: &Header, before: u32, problems: &mut String) -> Messages {
    let bindings = header.bound.as_ref().map(|bound| bound.bindings(function));
    let moment = match (&bindings, header.linked) {
        (Some(bindings), _) => Moment::Bound(bindings),
        (None, true) => Moment::Linked,
        (None, false) => Moment::Source,
    };
    let verdict = verify(function, moment);
    let mut found = Messages::new();
    let errors = verdict.errors.into_iter().map(|e| ("error", e.loc, e.message, e.help));
    let facts = verdict.facts.into_iter().map(|f| ("fact", f.loc, f.message, f.help));
    for (kind, loc, message, help) in errors.chain(facts) {
        let line = function.place(loc).map_or(0, |place| place.line.wrapping_add(before));
        if help.is_empty() {
            let _ = writeln!(problems, "  line {line}: no help beside `{message}`");
        }
        found.entry((line, kind)).or_default().push(message);
    }
    found
}

// A callee is a plain function pointer; these give the definitions of the case that runs on this thread.
thread_local! {
    static DEFINITIONS: RefCell<Vec<Definition>> = const { RefCell::new(vec![]) };
}

fn definition<const N: usize>() -> Definition {
    DEFINITIONS.with_borrow(|d| d[N].clone())
}

const POINTERS: [fn() -> Definition; 20] = [
    definition::<0>,
    definition::<1>,
    definition::<2>,
    definition::<3>,
    definition::<4>,
    definition::<5>,
    definition::<6>,
    definition::<7>,
    definition::<8>,
    definition::<9>,
    definition::<10>,
    definition::<11>,
    definition::<12>,
    definition::<13>,
    definition::<14>,
    definition::<15>,
    definition::<16>,
    definition::<17>,
    definition::<18>,
    definition::<19>,
];

/// The value of an open constant: the library's own, or anything.
fn open_constant(name: &str) -> ConstValue {
    let reductions = [("SUM", ReduceOp::Sum), ("MAX", ReduceOp::Max), ("MIN", ReduceOp::Min), ("PROD", ReduceOp::Prod)];
    match reductions.iter().find(|(n, _)| *n == name) {
        Some((_, op)) => ConstValue::Scalar(Lit::Int(op.wire().into()), ScalarType::Elem(Elem::Known(DType::I32))),
        None => ConstValue::Scalar(Lit::Int(1), ScalarType::Index),
    }
}

/// Makes the functions definitions, as they would stand in a crate.
fn define(functions: &[Function]) -> Library {
    let names: Vec<&'static str> = functions.iter().map(|f| &*Box::leak(f.name.to_string().into_boxed_str())).collect();
    let definitions = functions.iter().zip(&names).map(|(function, name)| {
        let text = Box::leak(embed(function).into_boxed_str());
        let callee = |callee: &str| names.iter().position(|n| *n == callee).expect("the callee stands in the file");
        Definition {
            source: Box::leak(Box::new(Source { text, file: "text", path: name })),
            types: function.types.iter().map(|t| t.value.unwrap_or(DType::F32)).collect(),
            consts: function.consts.iter().map(|c| c.value.clone().unwrap_or_else(|| open_constant(&c.name))).collect(),
            callees: function.callees.iter().map(|c| POINTERS[callee(c)]).collect(),
        }
    });
    let definitions = definitions.collect();
    DEFINITIONS.set(definitions);
    Library::new(names.into_iter().zip(POINTERS))
}

/// The cards, one line per rank.
fn cost(cards: &[Card]) -> String {
    let mut text = String::new();
    for (rank, card) in cards.iter().enumerate() {
        let Card {
            bytes_received, bytes_sent, remote_loads, remote_stores, peer_notifies, self_notifies, waits, ..
        } = card;
        let Card { barriers, credits, result_elements, .. } = card;
        let _ = writeln!(
            text,
            "rank {rank}: received {bytes_received}, sent {bytes_sent}, loads {remote_loads}, stores {remote_stores}, \
             notifies {peer_notifies} + {self_notifies}, waits {waits}, barriers {barriers}, credits {credits}, results {result_elements}"
        );
    }
    text
}

fn run_pass(pass: &str, header: &Header, sections: &[Section<'_>]) -> String {
    let text = header.library.as_ref().map(|file| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests").join(file);
        std::fs::read_to_string(path).expect("a readable library").replace("\r\n", "\n")
    });
    let more = text.as_deref().map_or(vec![], self::sections);
    let functions: Vec<Function> = sections.iter().chain(&more).map(Section::function).collect();
    let library = define(&functions);
    let linked = match link(&definition::<0>()) {
        Ok(linked) => linked,
        Err(error) => return format!("{error}\n"),
    };
    if pass == "link" {
        return print(&linked);
    }
    let bound = header.bound.clone().unwrap_or(Bound { world: 2, ..Bound::default() });
    let bindings = match header.args.is_empty() && header.bound.is_some() {
        true => Ok(bound.bindings(&linked)),
        false => bind(&linked, &bound.args(&linked, &header.args)),
    };
    let bindings = match bindings {
        Ok(bindings) => bindings,
        Err(error) => return format!("{error}\n"),
    };
    let output = match pass {
        "bind" => Ok(bindings.dims.iter().map(|(name, value)| format!("{name} = {value}\n")).collect()),
        "lower" => lower(&linked, &bindings, &header.platform(), &library).map(|f| print(&f)),
        "cost" => program(&linked, &bindings, &header.platform(), &library).map(|program| {
            let scalars = vec![None; program.function.params.len()];
            // The ranks of a smaller domain follow each other.
            let domain = |rank: usize, of: usize| (rank - rank % of..rank - rank % of + of).collect();
            let domains = |rank| program.bindings.domains.iter().map(|of| domain(rank, *of)).collect();
            let domains: Vec<Vec<_>> = (0..bound.world).map(domains).collect();
            let ranks = domains.iter().enumerate();
            let ranks =
                ranks.map(|(rank, domains)| RankProgram { rank, program: &program, scalars: &scalars, domains });
            cost(&cards(&ranks.collect::<Vec<_>>()))
        }),
        "program" => program(&linked, &bindings, &header.platform(), &library).map(|p| print(&p.function)),
        _ => panic!("unknown pass `{pass}`"),
    };
    output.unwrap_or_else(|error| format!("{error}\n"))
}
