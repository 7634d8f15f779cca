//! Reads the options. Help is printed as clap formats it, an error as one line.

use std::error::Error;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, FromArgMatches, value_parser};

use crate::options::Options;

/// The options, or the status to exit with once help or an error has been printed.
pub(crate) fn options() -> Result<Options, ExitCode> {
    let matches = command().try_get_matches();
    let options = matches.and_then(|matches| Options::from_arg_matches(&matches));
    options.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(u8::from(error.use_stderr()) * 2)
        }
        _ => refuse(&one_line(&error)),
    })
}

/// Says what is wrong with the options.
pub(crate) fn refuse(reason: &str) -> ExitCode {
    eprintln!("handbill: {reason}; see --help");
    ExitCode::from(2)
}

/// The command line. The options of the service are global, so clap adds them to each command. Commands have them
/// already, below a heading of their own, and hidden if they have no effect.
pub(crate) fn command() -> Command {
    // The script of backups reads it, so only a check does, too.
    let copies = Arg::new("backup-copies").long("backup-copies").hide(true);
    let copies = copies.env("HANDBILL_BACKUP_COPIES");
    let copies = copies.value_parser(value_parser!(u32).range(1..));
    let command = Options::command().mut_args(|arg| arg.global(true));
    let options: Vec<_> = command.get_arguments().cloned().collect();
    let command = command.mut_subcommand("check", |check| check.arg(copies));
    command.mut_subcommands(|command| {
        let options = options.iter().map(|arg| {
            let is_used = is_used(arg.get_id().as_str(), command.get_name());
            let arg = arg.clone().help_heading("Options of the service");
            arg.hide(!is_used)
        });
        let options: Vec<_> = options.collect();
        command.args(options)
    })
}

/// Whether an option of the service has an effect on a command.
fn is_used(option: &str, command: &str) -> bool {
    match command {
        "check" => true,
        "post" | "get" | "list" | "completions" | "man" => false,
        _ => match option {
            "database" | "log" | "log_format" => true,
            "base_url" => matches!(command, "posts" | "import"),
            "webhooks" | "webhook_secrets" | "webhook_private" | "hub" => command == "webhooks",
            _ => false,
        },
    }
}

/// Variables of the environment that begin as the settings do, and that other programs read, or no option.
const OTHER_VARIABLES: [&str; 2] = ["HANDBILL_API_KEY", "HANDBILL_REQUIRE_ALL"];

/// Logs a warning for each variable that is no setting, and begins as the settings do or is almost one.
pub(crate) fn warn_of_unknown_variables() {
    let mut command = command();
    command.build();
    let settings = all_arguments(&command).filter_map(|arg| arg.get_env()?.to_str());
    let known: Vec<_> = settings.chain(OTHER_VARIABLES).collect();
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let upper = name.to_uppercase();
        let distances = known
            .iter()
            .map(|known| (strsim::levenshtein(known, &upper), known));
        let nearest = distances.min().filter(|(distance, _)| *distance <= 2);
        if known.contains(&&*name) || nearest.is_none() && !upper.starts_with("HANDBILL_") {
            continue;
        }
        let hint = nearest.map(|(_, nearest)| format!("; the nearest one is {nearest}"));
        let hint = hint.unwrap_or_default();
        tracing::warn!("{name} is not a setting, and has no effect{hint}");
    }
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
    let mut command = command();
    command.build();
    let arg = all_arguments(&command).find(|arg| arg.to_string() == *name);
    arg.map(|arg| (name.clone(), arg.clone()))
}

fn all_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    let of_commands = command.get_subcommands().flat_map(Command::get_arguments);
    command.get_arguments().chain(of_commands)
}

fn is_on_command_line(arg: &Arg) -> bool {
    let long = arg.get_long().map(|long| format!("--{long}"));
    std::env::args_os().any(|given| given.to_string_lossy().split('=').next() == long.as_deref())
}
