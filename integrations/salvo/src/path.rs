//! Finds the part of a path that is below a mount.

use http::uri::{PathAndQuery, Uri};
use salvo::Request;
use salvo::routing::{Filter, PathState};

/// Accepts every rest of a path, also an empty one, and notes in the request where the rest begins.
///
/// Salvo's own `{**rest}` is decoded and has lost doubled slashes.
#[derive(Debug)]
pub(crate) struct Rest;

/// How many segments of the path lead to the mount.
#[derive(Clone, Copy)]
struct Above(usize);

#[salvo::async_trait]
impl Filter for Rest {
    async fn filter(&self, request: &mut Request, path: &mut PathState<'_>) -> bool {
        let mut below = 0;
        while let Some(length) = path.pick().map(str::len) {
            path.forward(length);
            below += 1;
        }
        let all = request.uri().path().split('/');
        let all = all.filter(|segment| !segment.is_empty()).count();
        let above = Above(all.saturating_sub(below));
        request.extensions_mut().insert(above);
        true
    }
}

/// The address of a request relative to the mount point, and otherwise unchanged.
///
/// Salvo ignores empty segments when it matches paths, so `//blog` arrives here too. It is passed on
/// unchanged: for the service, a path that is written differently is a different path.
pub(crate) fn below_mount(request: &mut Request) -> Uri {
    let above = request.extensions_mut().remove::<Above>();
    let uri = request.uri();
    let whole = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let path_end = uri.path().len().min(whole.len());
    let (path, query) = whole.split_at(path_end);
    let below = skip_segments(path, above.map_or(0, |Above(above)| above));
    let below = below.unwrap_or(path);
    let slash = if below.starts_with('/') { "" } else { "/" };
    let below = format!("{slash}{below}{query}");
    // Middleware can set an invalid path. It becomes a path that does not exist.
    let below = PathAndQuery::try_from(below).unwrap_or_else(|_| PathAndQuery::from_static("*"));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(below);
    Uri::from_parts(parts).unwrap_or_else(|_| Uri::from_static("*"))
}

/// The path behind its first segments, if one slash is before each of them.
fn skip_segments(path: &str, count: usize) -> Option<&str> {
    (0..count).try_fold(path, |path, _| {
        let segment = path.strip_prefix('/')?;
        let end = segment.find('/').unwrap_or(segment.len());
        (end > 0).then(|| &segment[end..])
    })
}
