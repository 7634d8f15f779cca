//! Measuring in rounds: whatever is compared takes its turn in each, so that what disturbs the
//! machine disturbs all of it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handbill_tests::load::{median, throughput};
use sqlx::SqliteConnection;

use crate::figure::{Figure, Unit};

pub(crate) const ROUNDS: usize = 5;
const WARM_UP: Duration = Duration::from_millis(150);
const DURATION: Duration = Duration::from_millis(800);

/// What is measured.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) work: Work,
}

pub(crate) enum Work {
    /// Clients that send requests, one after the other each, all of them answered with the status.
    Requests {
        servers: Vec<SocketAddr>,
        clients: usize,
        requests: Arc<Vec<Vec<u8>>>,
        status: u16,
    },
    /// Rows inserted by one connection, with a transaction each.
    SingleInserts {
        connection: SqliteConnection,
        body: String,
    },
}

/// How many times a second each subject does its work.
pub(crate) async fn rates(subjects: &mut [Subject]) -> Vec<Figure> {
    for subject in subjects.iter_mut() {
        subject.work.rate(WARM_UP).await;
    }
    let named = |subject: &Subject| Figure::none(subject.name, Unit::PerSecond);
    let mut figures: Vec<Figure> = subjects.iter().map(named).collect();
    for _ in 0..ROUNDS {
        for (subject, figure) in subjects.iter_mut().zip(&mut figures) {
            figure.values.push(subject.work.rate(DURATION).await);
        }
    }
    figures
}

impl Work {
    async fn rate(&mut self, duration: Duration) -> f64 {
        match self {
            Self::Requests {
                servers,
                clients,
                requests,
                status,
            } => throughput(servers, *clients, duration, requests, *status).await,
            Self::SingleInserts { connection, body } => {
                let (started, mut inserted) = (Instant::now(), 0);
                while started.elapsed() < duration {
                    sqlx::query("INSERT INTO posts (title, body) VALUES (?, ?)")
                        .bind("A note")
                        .bind(&*body)
                        .execute(&mut *connection)
                        .await
                        .unwrap();
                    inserted += 1;
                }
                f64::from(inserted) / started.elapsed().as_secs_f64()
            }
        }
    }
}

/// The middle of what several reads took.
pub(crate) fn typical(times: &[Duration]) -> f64 {
    let micros: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
    median(&micros)
}
