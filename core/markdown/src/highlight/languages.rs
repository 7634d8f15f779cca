//! What comments, texts and keywords look like in the usual languages.

/// A language.
pub(crate) struct Language {
    /// Its names, separated by spaces.
    pub(super) names: &'static str,
    pub(super) kind: Kind,
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    /// What begins and ends a text, longest first.
    pub(super) quotes: &'static [&'static str],
    /// A single quote encloses one character, and has other meanings.
    pub(super) has_characters: bool,
    pub(super) keywords: &'static str,
    pub(super) ignores_case: bool,
    /// What words contain besides letters, digits and `_`.
    pub(super) in_words: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Program,
    /// Keys before values, with this sign between them.
    Keys(char),
    /// Tags.
    Markup,
    /// Lines that were inserted and deleted.
    Difference,
}

const DOUBLE: &[&str] = &["\""];
const SINGLE: &[&str] = &["\"", "'"];
const BACKTICK: &[&str] = &["\"", "'", "`"];
/// Texts of several lines in three double quotes.
const BLOCKS: &[&str] = &["\"\"\"", "\"", "'"];
/// The same, in single quotes too.
const TRIPLE: &[&str] = &["\"\"\"", "'''", "\"", "'"];

/// One that looks like C.
const C_LIKE: Language = Language {
    names: "",
    kind: Kind::Program,
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    quotes: SINGLE,
    has_characters: false,
    keywords: "",
    ignores_case: false,
    in_words: "",
};

/// Comments begin with a hash sign. There are no others.
const WITH_HASHES: Language = Language {
    line_comments: &["#"],
    block_comments: &[],
    ..C_LIKE
};

pub(super) const ALL: &[Language] = &[
    Language {
        names: "rust rs",
        has_characters: true,
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let \
            loop match mod move mut pub ref return self Self static struct super trait true type \
            unsafe use where while bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize \
            f32 f64 String Vec Option Result Some None Ok Err Box",
        ..C_LIKE
    },
    Language {
        names: "python py",
        quotes: TRIPLE,
        keywords: "and as assert async await break case class continue def del elif else except False finally \
            for from global if import in is lambda match None nonlocal not or pass raise return self \
            True try while with yield",
        ..WITH_HASHES
    },
    Language {
        names: "javascript js jsx mjs cjs typescript ts tsx",
        quotes: BACKTICK,
        keywords: "abstract any as async await boolean break case catch class const continue debugger declare \
            default delete do else enum export extends false finally for from function get if \
            implements import in instanceof interface keyof let namespace never new null number of \
            private protected public readonly return set static string super switch this throw true \
            try type typeof undefined unknown var void while yield",
        in_words: "$",
        ..C_LIKE
    },
    Language {
        names: "java",
        quotes: BLOCKS,
        has_characters: true,
        keywords: "abstract assert boolean break byte case catch char class const continue default do double \
            else enum extends false final finally float for if implements import instanceof int \
            interface long native new null package permits private protected public record return \
            sealed short static super switch synchronized this throw throws transient true try var \
            void volatile while",
        ..C_LIKE
    },
    Language {
        names: "kotlin kt kts",
        quotes: BLOCKS,
        has_characters: true,
        keywords: "abstract as break by catch class companion const constructor continue data do else enum \
            false final finally for fun if import in inline interface internal is lateinit null object \
            open operator out override package private protected public return sealed super suspend \
            this throw true try typealias val var vararg when where while",
        ..C_LIKE
    },
    Language {
        names: "c h",
        has_characters: true,
        keywords: "auto bool break case char const continue default do double else enum extern false float \
            for goto if inline int long NULL register restrict return short signed sizeof static \
            struct switch true typedef union unsigned void volatile while #include #define #if #ifdef \
            #ifndef #else #endif",
        in_words: "#",
        ..C_LIKE
    },
    Language {
        names: "c++ cpp cc cxx hpp",
        has_characters: true,
        keywords: "alignas auto bool break case catch char class concept const consteval constexpr continue \
            co_await co_return co_yield decltype default delete do double else enum explicit export \
            extern false final float for friend goto if inline int long mutable namespace new noexcept \
            nullptr operator override private protected public requires return short signed sizeof \
            static struct switch template this throw true try typedef typename union unsigned using \
            virtual void volatile while #include #define #if #ifdef #ifndef #else #endif",
        in_words: "#",
        ..C_LIKE
    },
    Language {
        names: "c# csharp cs",
        quotes: BLOCKS,
        has_characters: true,
        keywords: "abstract as async await base bool break byte case catch char class const continue decimal \
            default delegate do double else enum event explicit extern false finally fixed float for \
            foreach get if implicit in init int interface internal is lock long namespace new null \
            object operator out override params private protected public readonly record ref required \
            return sbyte sealed set short sizeof static string struct switch this throw true try \
            typeof uint ulong unchecked unsafe using var virtual void volatile when where while yield",
        ..C_LIKE
    },
    Language {
        names: "go golang",
        quotes: BACKTICK,
        keywords: "any bool break byte case chan const continue default defer else error fallthrough false \
            float64 for func go goto if import int int64 interface iota map nil package range return \
            rune select string struct switch true type uint var",
        ..C_LIKE
    },
    Language {
        names: "ruby rb",
        block_comments: &[("=begin", "=end")],
        keywords: "alias and attr_accessor attr_reader begin break case class def defined? do else elsif end \
            ensure extend false for if in include module next nil not or private protected public \
            raise redo require rescue retry return self super then true undef unless until when while \
            yield",
        in_words: "?!",
        ..WITH_HASHES
    },
    Language {
        names: "php",
        line_comments: &["//", "#"],
        keywords: "abstract and array as break callable case catch class clone const continue declare default \
            do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum \
            extends false final finally fn for foreach function global goto if implements include \
            include_once instanceof insteadof interface isset list match namespace new null or print \
            private protected public readonly require require_once return static switch throw trait \
            true try unset use var while yield",
        in_words: "$",
        ..C_LIKE
    },
    Language {
        names: "swift",
        quotes: BLOCKS,
        keywords: "actor any as associatedtype async await break case catch class continue default defer \
            deinit do else enum extension fallthrough false fileprivate final for func guard if import \
            in init inout internal is lazy let mutating nil open operator override private protocol \
            public repeat required rethrows return self Self some static struct subscript super switch \
            throw throws true try typealias var weak where while",
        ..C_LIKE
    },
    Language {
        names: "scala",
        quotes: BLOCKS,
        has_characters: true,
        keywords: "abstract case catch class def do else enum extends extension false final finally for given \
            if implicit import lazy match new null object override package private protected return \
            sealed super then this throw trait true try type using val var while with yield",
        ..C_LIKE
    },
    Language {
        names: "dart",
        quotes: TRIPLE,
        keywords: "abstract as assert async await break case catch class const continue covariant default \
            deferred do dynamic else enum export extends extension external factory false final \
            finally for get if implements import in interface is late library mixin new null on \
            operator part required rethrow return sealed set static super switch sync this throw true \
            try typedef var void while with yield",
        ..C_LIKE
    },
    Language {
        names: "zig",
        block_comments: &[],
        has_characters: true,
        keywords: "align and anytype async await break bool catch comptime const continue defer else enum \
            errdefer error export extern false fn for if inline null or orelse packed pub return \
            struct switch test true try undefined union unreachable usingnamespace usize var void \
            while u8 u32 u64 i32 i64",
        in_words: "@",
        ..C_LIKE
    },
    Language {
        names: "haskell hs",
        line_comments: &["--"],
        block_comments: &[("{-", "-}")],
        has_characters: true,
        keywords: "as case class data default deriving do else family forall foreign hiding if import in \
            infix infixl infixr instance let module newtype of qualified then type where",
        in_words: "'",
        ..C_LIKE
    },
    Language {
        names: "elixir ex exs",
        quotes: TRIPLE,
        keywords: "after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct \
            do else end false fn for if import in nil not or quote raise receive require rescue true \
            try unless unquote use when with",
        in_words: "?!@",
        ..WITH_HASHES
    },
    Language {
        names: "clojure clj lisp scheme",
        line_comments: &[";"],
        block_comments: &[],
        quotes: DOUBLE,
        keywords: "and case cond def defmacro defn defprotocol defrecord defun define do false fn for if if- \
            let lambda let let* letrec loop nil not ns or quote recur require set! true when when-let",
        in_words: "-?!*>",
        ..C_LIKE
    },
    Language {
        names: "lua",
        line_comments: &["--"],
        block_comments: &[("--[[", "]]")],
        keywords: "and break do else elseif end false for function goto if in local nil not or repeat return \
            then true until while",
        ..C_LIKE
    },
    Language {
        names: "perl pl",
        keywords: "and cmp die do each else elsif eq for foreach ge gt if last le local lt my ne next no not \
            or our package print push qw redo ref require return say shift sub undef unless until use \
            while",
        in_words: "$@%",
        ..WITH_HASHES
    },
    Language {
        names: "r",
        keywords: "break else FALSE for function if in Inf library NA NaN next NULL repeat require return \
            TRUE while",
        in_words: ".",
        ..WITH_HASHES
    },
    Language {
        names: "julia jl",
        block_comments: &[("#=", "=#")],
        quotes: TRIPLE,
        keywords: "abstract baremodule begin break catch const continue do else elseif end export false \
            finally for function global if import in isa let local macro module mutable nothing \
            primitive quote return struct true try type using where while",
        in_words: "!@",
        ..WITH_HASHES
    },
    Language {
        names: "sql postgresql mysql sqlite",
        line_comments: &["--"],
        keywords: "add all alter and as asc begin between bigint boolean by cascade case check column commit \
            constraint create cross database default delete desc distinct drop else end exists explain \
            false foreign from full grant group having if in index inner insert int integer into is \
            join key left like limit not null numeric offset on or order outer primary references \
            returning right rollback select set table text then timestamp transaction trigger true \
            union unique update using values varchar view when where with",
        ignores_case: true,
        ..C_LIKE
    },
    Language {
        names: "bash sh shell zsh console fish",
        keywords: "alias break case cd continue declare do done echo elif else esac eval exec exit export \
            false fi for function if in local read readonly return set shift source sudo test then \
            trap true unset until while",
        in_words: "$",
        ..WITH_HASHES
    },
    Language {
        names: "powershell ps1",
        block_comments: &[("<#", "#>")],
        keywords: "begin break catch class continue do else elseif end exit filter finally for foreach \
            function if in param process return switch throw trap try until while",
        ignores_case: true,
        in_words: "$-",
        ..WITH_HASHES
    },
    Language {
        names: "dockerfile docker containerfile",
        keywords: "add arg as cmd copy entrypoint env expose from healthcheck label maintainer onbuild run \
            shell stopsignal user volume workdir",
        ignores_case: true,
        in_words: "$",
        ..WITH_HASHES
    },
    Language {
        names: "makefile make mk",
        kind: Kind::Keys(':'),
        keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override unexport",
        in_words: "-.%$@",
        ..WITH_HASHES
    },
    Language {
        names: "css scss sass less",
        kind: Kind::Keys(':'),
        keywords: "important and from in not only or to true false @charset @container @extend @font-face \
            @forward @function @if @else @import @include @keyframes @layer @media @mixin @page \
            @return @supports @use",
        in_words: "-@",
        ..C_LIKE
    },
    Language {
        names: "json jsonc json5",
        kind: Kind::Keys(':'),
        keywords: "false null true",
        ..C_LIKE
    },
    Language {
        names: "yaml yml",
        kind: Kind::Keys(':'),
        keywords: "false no null true yes",
        in_words: "-.",
        ..WITH_HASHES
    },
    Language {
        names: "toml",
        kind: Kind::Keys('='),
        quotes: TRIPLE,
        keywords: "false inf nan true",
        in_words: "-.",
        ..WITH_HASHES
    },
    Language {
        names: "ini conf properties env dotenv",
        kind: Kind::Keys('='),
        line_comments: &["#", ";"],
        quotes: DOUBLE,
        keywords: "false no off on true yes",
        in_words: "-.",
        ..WITH_HASHES
    },
    Language {
        names: "protobuf proto",
        keywords: "bool bytes double enum extend false float import int32 int64 message oneof option optional \
            package repeated required reserved returns rpc service string syntax true uint32 uint64",
        ..C_LIKE
    },
    Language {
        names: "html xml svg xhtml vue svelte",
        kind: Kind::Markup,
        line_comments: &[],
        block_comments: &[("<!--", "-->"), ("<![CDATA[", "]]>")],
        in_words: "-:@.",
        ..C_LIKE
    },
    Language {
        names: "diff patch",
        kind: Kind::Difference,
        line_comments: &[],
        block_comments: &[],
        quotes: &[],
        ..C_LIKE
    },
];
