//! `GET /manifest.webmanifest`: how the site is called and looks among a phone's apps
//! ([Web Application Manifest](https://www.w3.org/TR/appmanifest/)).

use serde::Serialize;

use super::asset::{self, Asset};
use crate::cache::Representation;
use crate::context::Context;
use crate::http::response;

#[derive(Serialize)]
struct Manifest<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    start_url: String,
    scope: String,
    display: &'static str,
    background_color: &'static str,
    icons: [Icon; 2],
}

#[derive(Serialize)]
struct Icon {
    src: String,
    sizes: &'static str,
    r#type: &'static str,
    purpose: &'static str,
}

pub(crate) fn show(context: &Context) -> Representation {
    let root = context.base_url.path();
    let icon = |asset: &Asset, sizes| Icon {
        src: format!("{root}/assets/{}", asset.name()),
        sizes,
        r#type: "image/png",
        purpose: "any maskable",
    };
    let manifest = Manifest {
        name: &context.pages.site.name,
        description: context.pages.site.description.as_deref(),
        start_url: format!("{root}/"),
        scope: format!("{root}/"),
        display: "minimal-ui",
        background_color: "#fdfcfa",
        icons: [
            icon(asset::SMALL_APP_ICON, "192x192"),
            icon(asset::LARGE_APP_ICON, "512x512"),
        ],
    };
    Representation::new("application/manifest+json").with_body(response::json_bytes(&manifest))
}
