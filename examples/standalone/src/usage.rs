//! Reads the options. Help is printed as clap formats it, an error as one line.

use std::error::Error;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, Parser};

use crate::options::Options;

/// The options, or the status to exit with once help or an error has been printed.
pub(crate) fn options() -> Result<Options, ExitCode> {
    Options::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(u8::from(error.use_stderr()) * 2)
        }
        _ => {
            eprintln!("handbill: {}; see --help", one_line(&error));
            ExitCode::from(2)
        }
    })
}

/// clap's message with its hints, without its usage.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim);
    let lines =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    let message = lines.join(" ").replace(" tip: ", "; ");
    let message = message.trim_start_matches("error: ");

    let Some((option, arg)) = option_of(error) else {
        return message.to_owned();
    };
    let variable = arg.get_env().filter(|_| !is_on_command_line(&arg));
    let name = variable.map_or(option.clone(), |name| name.to_string_lossy().into_owned());
    match error.source() {
        // clap repeats the value, which may hold a password here.
        Some(reason) if arg.is_hide_env_values_set() => format!("{name}: {reason}"),
        _ => message.replace(&option, &name),
    }
}

/// The option that the error is about, as clap names it.
fn option_of(error: &clap::Error) -> Option<(String, Arg)> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let mut command = Options::command();
    command.build();
    let arg = command.get_arguments().find(|arg| arg.to_string() == *name);
    arg.map(|arg| (name.clone(), arg.clone()))
}

fn is_on_command_line(arg: &Arg) -> bool {
    let long = arg.get_long().map(|long| format!("--{long}"));
    std::env::args_os().any(|given| given.to_string_lossy().split('=').next() == long.as_deref())
}
