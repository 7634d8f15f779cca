//! The scale: measures what each operation costs, and compares it with its line in `figures.md`.
//!
//! It fails where a figure is more than 3 % above its line. With the argument `write`, it moves such lines instead.

#![expect(clippy::unwrap_used, reason = "the scale stops where it can't go on")]

mod operations;
mod valgrind;

use std::process::{Command, ExitCode};
use std::{env, fs};

use operations::{LAYERS, OPERATIONS};
use valgrind::{COST, Cost, Valgrind};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/figures.md");
const WRITE: &str = "cargo run --release --package handbill-scale -- write";
/// What a figure may be off its line, in percent.
const TOLERANCE: u64 = 3;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => weigh(false),
        ["write"] => weigh(true),
        // For valgrind, which starts this program again.
        [layer, operation] => {
            operations::repeat(layer, operation);
            ExitCode::SUCCESS
        }
        _ => panic!("expected no argument, or write"),
    }
}

fn weigh(write: bool) -> ExitCode {
    let file = fs::read_to_string(FILE).unwrap_or_default();
    let tools = [version("rustc"), version("valgrind")].join(" and ");
    let valgrind = Valgrind::new();
    let mut table = table_head();
    println!("{table}");
    let (mut above, mut below) = (String::new(), String::new());
    for layer in LAYERS {
        for operation in OPERATIONS.map(|operation| operation.name) {
            let cost = valgrind.measure(layer, operation);
            println!("{}", row(layer, operation, &cost));
            let mut line = line(&file, layer, operation).unwrap_or_default();
            for (name, (figure, limit)) in COST.iter().zip(cost.iter().zip(&mut line)) {
                let list = match figure * 100 {
                    hundredfold if hundredfold > *limit * (100 + TOLERANCE) => &mut above,
                    hundredfold if hundredfold < *limit * (100 - TOLERANCE) => &mut below,
                    _ => continue,
                };
                *list += &format!("{layer}, {operation}: {figure} {name}, line {limit}\n");
                *limit = *figure;
            }
            table += &format!("\n{}", row(layer, operation, &line));
        }
    }
    if write {
        fs::write(FILE, format!("{}{table}\n", head(&tools))).unwrap();
        return ExitCode::SUCCESS;
    }
    if !below.is_empty() {
        println!("More than {TOLERANCE} % below the line, which can be lowered: {WRITE}\n{below}");
    }
    if above.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("More than {TOLERANCE} % above the line:\n{above}");
    println!("If it is worth that, raise the line in the same commit, and say why: {WRITE}");
    if !file.contains(&tools) {
        println!("The lines were not measured with {tools}.");
    }
    ExitCode::FAILURE
}

fn version(program: &str) -> String {
    let output = Command::new(program).arg("--version").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn head(tools: &str) -> String {
    format!(
        "# The scale\n\n\
         What one operation costs, written by `{WRITE}`. See *Run the tests* in\n\
         [CONTRIBUTING](../../CONTRIBUTING.md).\n\n\
         Measured with {tools}, on Debian 12 (x86-64).\n\n"
    )
}

fn table_head() -> String {
    format!(
        "| through    | operation  | {} |\n\
         |------------|------------|-------------:|------------:|----------------:|------------:|",
        COST.join(" | ")
    )
}

fn row(layer: &str, operation: &str, [a, b, c, d]: &Cost) -> String {
    let name = name(layer, operation);
    format!("{name}{a:12} | {b:11} | {c:15} | {d:11} |")
}

/// How the row of an operation begins.
fn name(layer: &str, operation: &str) -> String {
    format!("| {layer:10} | {operation:10} | ")
}

/// The figures in the row of an operation.
fn line(file: &str, layer: &str, operation: &str) -> Option<Cost> {
    let name = name(layer, operation);
    let figures = file.lines().find_map(|row| row.strip_prefix(&name))?;
    let figures = figures
        .split('|')
        .filter_map(|text| text.trim().parse().ok());
    figures.collect::<Vec<_>>().try_into().ok()
}
