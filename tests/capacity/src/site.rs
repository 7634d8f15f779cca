//! A site in numbers.

use std::collections::BTreeMap;

/// Each option with its default and what it means.
pub(crate) const OPTIONS: &str = "
--postgres 0            1: PostgreSQL on servers of its own, 0: SQLite in the program
--posts 1e9             stored posts
--post-bytes 920        text of each
--years 5               in which they were written
--peak 10               creations at the busiest time, compared with the mean of these years
--readers-per-minute 1e6  at the busiest time
--requests-per-reader 2 without the style sheets and scripts, which browsers cache
--lists 0.2             share of requests for lists and the first page; the rest are posts
--feeds 0.05            share of requests for feeds
--searches 0.005        share of searches
--popularity 0.8        exponent of Zipf's law: 0 if all posts are read alike, 1 if most reads are of few
--sent-bytes 8000       a page with its head, not compressed
--cached-bytes 9500     a page in the cache
--cache-mib 64          cached responses of each instance of the program
--instances 1           of the program
--cores 2               of each instance, as fast as those of BENCHMARKS
--network-mbit 1000     of each instance
--database-cores 2      of each PostgreSQL server
--standbys 0            servers that serve reads
--memory-gib 4          for the pages of the database, on each server
--disk-gb 100           of each server
--disk-reads 10000      of each server in a second
--disk-read-us 200      time of each
--limit 0.7             share of a resource beyond which it breaks, since waiting grows fast
";

/// The values of all options.
pub(crate) type Site = BTreeMap<&'static str, f64>;

/// The defaults, and what a command line changes.
pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Site, String> {
    let defaults = OPTIONS.lines().filter_map(|line| {
        let mut words = line.strip_prefix("--")?.split_whitespace();
        Some((words.next()?, words.next()?.parse().ok()?))
    });
    let mut site = Site::from_iter(defaults);
    while let Some(word) = words.next() {
        let value = word.strip_prefix("--").and_then(|name| site.get_mut(name));
        let number = words.next().and_then(|number| number.parse().ok());
        let (Some(value), Some(number)) = (value, number) else {
            return Err(format!("{word}: not one of these with a number\n{OPTIONS}"));
        };
        *value = number;
    }
    Ok(site)
}
