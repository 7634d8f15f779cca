//! Every way to mount the service, held to the contract over HTTP.

/// The service itself, called without a server.
mod tower_at_the_root {
    use handbill_tests::bare;

    handbill::http_checks!("/", |handbill| async {
        move |request| bare::call(handbill.clone(), bare::LOCAL, request)
    });
}
