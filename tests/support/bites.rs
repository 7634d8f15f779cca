//! For tests which show that the checks of `handbill-testing` find faults.

use handbill_testing::{Check, Failure, FailureKind};

/// The check of this name.
///
/// # Panics
/// If there is none.
pub fn find<S>(checks: &'static [Check<S>], name: &str) -> &'static Check<S>
where
    S: 'static,
{
    let found = checks.iter().find(|check| check.name() == name);
    found.unwrap_or_else(|| panic!("there is no check {name}"))
}

/// Expects that the check of this name found its rule broken: by an assertion of its own, and not
/// because its setup failed.
///
/// # Panics
/// If it passed, if another check failed, or if the setup did.
pub fn expect_broken_rule(check: &str, outcome: Result<(), Failure>) {
    let Err(failure) = outcome else {
        panic!("{check} does not find the fault");
    };
    assert_eq!(failure.check(), check, "another check failed: {failure}");
    assert_eq!(failure.kind(), FailureKind::Rule, "{failure}");
}

/// Makes one test for each check, which must find each of its faults, and one test that no check is left out. `$run`
/// runs the check of a name on a subject with a `Fault`.
#[macro_export]
macro_rules! bites {
    ($checks:path, $run:path; $($check:ident: $($fault:ident),+;)*) => {
        $(
            #[tokio::test]
            async fn $check() {
                for fault in [$(Fault::$fault),+] {
                    let outcome = $run(stringify!($check), fault).await;
                    $crate::bites::expect_broken_rule(stringify!($check), outcome);
                }
            }
        )*

        #[test]
        fn every_check_finds_a_fault() {
            let checks = $checks.iter().map(|check| check.name());
            let biting = [$(stringify!($check)),*];
            let checks: ::std::collections::BTreeSet<_> = checks.collect();
            assert_eq!(::std::collections::BTreeSet::from(biting), checks);
        }
    };
}
