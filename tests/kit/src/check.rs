//! A check with its name, and the ways in which it can fail.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::Pin;

use futures_util::FutureExt;
use tokio::task::JoinHandle;

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One rule of a contract as a test. `S` is the subject of the test.
#[derive(Clone, Copy)]
pub struct Check<S> {
    name: &'static str,
    run: fn(S) -> Running,
}

impl<S> Check<S> {
    pub(crate) const fn new(name: &'static str, run: fn(S) -> Running) -> Self {
        Self { name, run }
    }

    /// The name of the check's function: a sentence that states the rule.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the check.
    ///
    /// # Errors
    /// If the rule is broken, or if the check could not be set up.
    pub async fn run(&self, subject: S) -> Result<(), Failure> {
        run(self.name, (self.run)(subject)).await
    }
}

impl<S> fmt::Debug for Check<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.name).finish()
    }
}

/// Runs a check of this name, and turns its panic into a [`Failure`].
///
/// # Errors
/// If the check panics.
pub async fn run(name: &'static str, check: impl Future<Output = ()>) -> Result<(), Failure> {
    let caught = AssertUnwindSafe(check).catch_unwind().await;
    caught.map_err(|panic| match panic.downcast::<SetupFailed>() {
        Ok(failed) => Failure {
            check: name,
            kind: FailureKind::Setup,
            message: failed.0,
        },
        Err(panic) => Failure {
            check: name,
            kind: FailureKind::Rule,
            message: message(&*panic),
        },
    })
}

/// Why a check failed, and which one it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    check: &'static str,
    kind: FailureKind,
    message: String,
}

/// The part of the check that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// An assertion of the check: the rule is broken.
    Rule,
    /// A step before the check (a write that another check covers, or the mount). It says nothing
    /// about the check's own rule.
    Setup,
}

impl Failure {
    /// The name of the check.
    pub const fn check(&self) -> &'static str {
        self.check
    }

    /// Whether the rule is broken, or only the setup failed.
    pub const fn kind(&self) -> FailureKind {
        self.kind
    }

    /// The message of the failed assertion.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { check, message, .. } = self;
        match self.kind {
            FailureKind::Rule => write!(f, "the rule {check} is broken: {message}"),
            FailureKind::Setup => write!(f, "the setup of {check} failed: {message}"),
        }
    }
}

impl Error for Failure {}

/// The payload of a panic in a step that prepares a check.
struct SetupFailed(String);

/// Runs a step that prepares a check, so that its panic counts as a failed setup.
pub(crate) async fn setup<T>(step: impl Future<Output = T>) -> T {
    match AssertUnwindSafe(step).catch_unwind().await {
        Ok(value) => value,
        // The panic's message was printed when it happened.
        Err(panic) => resume_unwind(Box::new(match panic.downcast::<SetupFailed>() {
            Ok(failed) => *failed,
            Err(panic) => SetupFailed(message(&*panic)),
        })),
    }
}

/// The result of a task that a check spawned. The task's panic becomes the check's.
pub(crate) async fn joined<T>(task: JoinHandle<T>) -> T {
    match task.await {
        Ok(value) => value,
        Err(error) => resume_unwind(error.into_panic()),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

/// Runs one of the checks as a test, unless there is no subject. What comes with the subject lives as long as the
/// check. The macros call it, so that users compile it once and not for each test.
#[doc(hidden)]
pub fn __test<S, R>(
    checks: &[Check<S>],
    name: &str,
    subject: impl Future<Output = Option<(S, R)>>,
) {
    let check = checks.iter().find(|check| check.name == name);
    let check = check.expect("a check of this name");
    __block_on(async {
        if let Some((subject, _resource)) = subject.await {
            (check.run)(subject).await;
        }
    });
}

#[doc(hidden)]
pub fn __block_on(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build();
    runtime.expect("a runtime").block_on(test);
}

/// Lists the checks of a contract by module. The public functions, `CHECKS` and the tests of the
/// public macro come from this list, so the compiler reports a check that is missing here as an
/// unused function.
///
/// `$d` is a dollar sign, for the macro that this one makes.
macro_rules! checks {
    ($d:tt $each:ident, $subject:ty, $run:ident; $($module:ident { $($check:ident)* })*) => {
        $(pub use $module::{$($check),*};)*

        /// Every check, in the order of the contract.
        pub const CHECKS: &[$crate::Check<$subject>] = &[$($(
            $crate::Check::new(stringify!($check), |subject| $run!($check, subject)),
        )*)*];

        #[doc(hidden)]
        #[macro_export]
        macro_rules! $each {
            ($d tests:ident, $d($d arguments:tt)*) => {
                $crate::$d tests! { $d($d arguments)*; $($($check)*)* }
            };
        }
    };
}
