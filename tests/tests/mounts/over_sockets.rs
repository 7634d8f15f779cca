//! A server of each framework, and a client that knows nothing but HTTP.

/// A mount by a function that says where the app listens.
macro_rules! mount {
    ($name:ident) => {
        mod $name {
            use handbill_tests::mount;

            async fn mount(
                path: &'static str,
                handbill: handbill::Handbill,
            ) -> impl Fn(
                http::Request<handbill_testing::http::SentBody>,
            ) -> std::pin::Pin<
                Box<dyn Future<Output = http::Response<bytes::Bytes>> + Send>,
            > {
                let server = mount::$name(path, handbill).await;
                move |request| Box::pin(handbill_testing::http::send_to(server, request))
            }

            crate::at_the_root_and_below!(super::mount);
        }
    };
}

mount!(in_actix_web);
mount!(in_axum);
mount!(in_hyper);
mount!(in_poem);
mount!(in_rocket);
mount!(in_salvo);
