//! What the program says of itself: its manual and completions for shells.

use std::io::{self, Write};

use clap::{Command, CommandFactory, Subcommand};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::options::Options;
use crate::usage;

/// A command about the program itself.
#[derive(Debug, Subcommand)]
pub(crate) enum ManualCommand {
    /// Print completions of the commands and options for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, which `man -l -` shows
    Man,
}

pub(crate) fn run(command: &ManualCommand) -> io::Result<()> {
    let mut text = Vec::new();
    match command {
        ManualCommand::Completions { shell } => {
            generate(*shell, &mut usage::command(), "handbill", &mut text);
        }
        ManualCommand::Man => write_manual(&mut text)?,
    }
    let mut stdout = io::stdout();
    stdout.write_all(&text)?;
    stdout.flush()
}

/// One page: the program with its options, and then each command.
fn write_manual(page: &mut Vec<u8>) -> io::Result<()> {
    // Its options are explained once.
    let command = Options::command();
    let man = Man::new(command.clone());
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    write_commands(page, &command, "handbill")
}

/// A section for each command below this one that does something.
fn write_commands(page: &mut Vec<u8>, parent: &Command, path: &str) -> io::Result<()> {
    for command in parent.get_subcommands() {
        let path = format!("{path} {}", command.get_name());
        if command.has_subcommands() {
            write_commands(page, command, &path)?;
            continue;
        }
        let mut section = Vec::new();
        let man = Man::new(command.clone().bin_name(&path).display_name(&path));
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        writeln!(page, ".SH \"{}\"", path.to_uppercase())?;
        // Its sections are below that of the command.
        for line in String::from_utf8_lossy(&section).lines() {
            writeln!(page, "{}", line.replacen(".SH ", ".SS ", 1))?;
        }
    }
    Ok(())
}
