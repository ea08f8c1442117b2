//! The section of `docs/checks.md` about these programs: made of what stands at the head of their files.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The programs, by what one sees of them.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "It hangs",
        &[
            "everybody_waits_first",
            "swapped_cells",
            "waits_for_itself",
            "wait_for_all_ranks",
            "set_where_credits_are_counted",
            "reset_erases_the_signal",
            "equal_where_at_least_is_meant",
            "flag_in_the_own_copy",
            "a_rank_skips_the_collective",
        ],
    ),
    (
        "The data is not there yet",
        &[
            "notify_before_data",
            "put_right_notify_left",
            "signal_to_itself",
            "read_before_the_first_barrier",
            "polled_flag",
            "one_counter_for_many_chunks",
            "neighbours_share_a_counter",
        ],
    ),
    (
        "The data is not there any more",
        &[
            "no_barrier_between_rounds",
            "root_overwrites",
            "double_buffering_with_one_buffer",
            "slot_is_freed_too_early",
        ],
    ),
    ("It works once", &["flag_is_up_already", "signal_is_not_cleared", "epilogue_takes_too_little"]),
    ("The ranks do not agree", &["collectives_in_another_order", "another_root", "last_rank_has_no_right_neighbour"]),
];

const BEGIN: &str = "<!-- protocols -->\n";
const END: &str = "<!-- end of protocols -->\n";

#[test]
fn page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut listed: Vec<&str> = SECTIONS.iter().flat_map(|(_, names)| *names).copied().collect();
    let mut programs = vec![];
    for entry in fs::read_dir(root.join("tests/protocols")).unwrap() {
        let path = entry.unwrap().path();
        if fs::read_to_string(&path).unwrap().contains("\nfn is_repaired()") {
            programs.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    listed.sort_unstable();
    programs.sort_unstable();
    assert_eq!(listed, programs, "each program stands in one section");
    assert_eq!(programs.len(), 26, "the section's title says how many there are");

    let mut section = String::new();
    for (title, names) in SECTIONS {
        write!(section, "\n### {title}\n").unwrap();
        for name in *names {
            section += &paragraph(name, &fs::read_to_string(root.join(format!("tests/protocols/{name}.rs"))).unwrap());
        }
    }
    section.push('\n');

    let file = root.join("docs/checks.md");
    let page = fs::read_to_string(&file).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has the section");
    let (found, after) = rest.split_once(END).expect("the section has an end");
    if std::env::var_os("PL_BLESS").is_some() {
        fs::write(file, format!("{before}{BEGIN}{section}{END}{after}")).unwrap();
    } else {
        assert_eq!(found, section, "PL_BLESS=1 cargo test --test protocols page");
    }
}

/// A program's paragraph: its title, how it comes about, what one sees, what helps, and the kind of its report.
fn paragraph(name: &str, source: &str) -> String {
    let head = source.lines().map_while(|line| line.strip_prefix("//!"));
    let head: Vec<&str> = head.map(str::trim).collect();
    let paragraphs: Vec<String> = head.split(|line| line.is_empty()).map(|lines| lines.join(" ")).collect();
    let [title, story, symptom, repair] = paragraphs.as_slice() else {
        panic!("{name}: a title, how it comes about, `Symptom:`, `Repair:`; found {paragraphs:?}")
    };
    let strip = |text: &str, word: &str| text.strip_prefix(word).unwrap_or_else(|| panic!("{name}: {word}")).to_owned();
    let (symptom, repair) = (strip(symptom, "Symptom:"), strip(repair, "Repair:"));
    let report = source.split_once("fn report() {").unwrap().1;
    let kind = report.split('"').nth(1).unwrap();
    let file = format!("[{name}.rs](../tests/protocols/{name}.rs)");
    let text = format!("**{title}** {story} *Symptom:*{symptom} *Repair:*{repair} *Report:* `{kind}`, {file}.");
    format!("\n{}\n", wrapped(&text))
}

/// Lines of at most 150 characters.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = vec![];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < 150 => *line += &format!(" {word}"),
            _ => lines.push(word.into()),
        }
    }
    lines.join("\n")
}
