//! What a log says of an error.

use std::error::Error;
use std::fmt;

/// An error and its sources, in one line. Some errors, those of sqlx among them, print their source themselves.
pub(crate) struct Chain<'a>(pub(crate) &'a dyn Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = self.0.to_string();
        let mut source = self.0.source();
        while let Some(error) = source {
            let text = error.to_string();
            if !line.ends_with(&text) {
                line.extend([": ", &text]);
            }
            source = error.source();
        }
        f.write_str(&line)
    }
}
