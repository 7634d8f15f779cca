//! Enums that are shown as words.

/// Makes an enum of its variants and the words that show each.
macro_rules! words {
    ($(#[$docs:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident $words:literal,)* }) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $words,)* })
            }
        }
    };
}
pub(crate) use words;
