//! The server stops in time, whatever its clients do, and finishes the requests that it can.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use handbill::Handbill;
use handbill_tests::load::post_json;
use handbill_tests::wire::Connection;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

use crate::for_each_seed;
use crate::network::{SERVER, Stop, add_server, connect, network};
use crate::stalled::{Staller, service_with_posts};

const STALLERS: [&str; 3] = ["anna", "ben", "carla"];
const SECOND: Duration = Duration::from_secs(1);
const STOP_AT: Duration = Duration::from_secs(5);
/// What the server allows for the requests under way.
const LIMIT: Duration = Duration::from_secs(27);

/// The server stops while clients stall, and while a creation is under way.
fn simulate(seed: u64, handbill: &Handbill, api_key: &str) -> turmoil::Result {
    let mut random = StdRng::seed_from_u64(seed);
    let mut network = network(seed, SECOND / 20);
    let mut sim = network.max_message_latency(SECOND / 100).build();
    let stop = Stop::default();
    add_server(&mut sim, 100, &stop, || handbill.clone());
    let mut course = String::new();
    let mut lost_at = Vec::new();
    for name in STALLERS {
        let (staller, api_key) = (Staller::random(&mut random), api_key.to_owned());
        sim.client(name, async move {
            staller.run(&api_key).await?;
            Ok(())
        });
        let at = SECOND.mul_f64(random.random_range(0.3..10.0));
        lost_at.push((name, at));
        course += &format!("{staller:?}, lost: {at:?}\n");
    }
    let creation = post_json("/api/posts", api_key, r#"{"body":"Half, and the rest."}"#);
    let pause = SECOND.mul_f64(random.random_range(6.0..25.0));
    let created = Rc::new(Cell::new(None));
    let create = Rc::clone(&created);
    sim.client("honest", async move {
        sleep(SECOND).await;
        let (half, rest) = creation.split_at(creation.len() - 10);
        let mut stream = connect().await?;
        stream.write_all(half).await?;
        sleep(pause).await;
        create.set(Connection::over(stream).status_of(rest).await.ok());
        Ok(())
    });

    let mut is_stopping = false;
    while stop
        .ended()
        .is_none_or(|ended| sim.elapsed() < ended + SECOND)
    {
        sim.step()?;
        for (name, at) in &lost_at {
            if *at < sim.elapsed() {
                sim.partition(*name, SERVER);
            }
        }
        if sim.elapsed() > STOP_AT && !is_stopping {
            is_stopping = true;
            stop.begin();
        }
        if sim.elapsed() > STOP_AT + LIMIT + SECOND && stop.ended().is_none() {
            return Err(format!("the server has not stopped:\n{course}").into());
        }
    }
    match created.get() {
        Some(201) => Ok(()),
        other => Err(format!("the creation under way got {other:?}:\n{course}").into()),
    }
}

#[test]
fn the_server_stops_in_time_although_clients_stall() {
    let (handbill, api_key) = service_with_posts();
    for_each_seed(20, |seed| simulate(seed, &handbill, &api_key));
}
