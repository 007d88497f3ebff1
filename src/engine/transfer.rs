//! Jobs in, outcomes out: admission and fan-out over objects. How one job's bytes move is `download`'s, `upload`'s and `copy`'s business.

use super::mover::{Mover, count, count_unstarted, deliver};
use super::{Assigned, Destination, Done, Ending, Failure, Job, Outcome, Source, copy, download, upload};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Runs jobs as they come until the channel ends or the run is stopped; one outcome for each job taken and each failure passed through.
pub async fn run(mover: Mover, mut jobs: mpsc::Receiver<Assigned>, outcomes: mpsc::Sender<Outcome>) {
    let mover = Arc::new(mover);
    let mut tasks = JoinSet::new();
    loop {
        while tasks.len() >= mover.policy.jobs {
            tasks.join_next().await;
        }
        match mover.cancel.unless(jobs.recv()).await {
            Some(Some(Ok(job))) => {
                let (mover, outcomes) = (mover.clone(), outcomes.clone());
                tasks.spawn(async move { deliver(&outcomes, one(&mover, job).await).await });
            }
            Some(Some(Err(outcome))) => {
                count_unstarted(&mover.stats, &outcome.ending);
                deliver(&outcomes, *outcome).await;
            }
            Some(None) | None => break,
        }
        // Finished tasks are reaped as we go, so that a long run holds no more than the running ones.
        while tasks.try_join_next().is_some() {}
    }
    jobs.close();
    while let Some(job) = jobs.recv().await {
        let outcome = job.map_or_else(|outcome| *outcome, |job| outcome(job, Ending::Cancelled));
        deliver(&outcomes, outcome).await;
    }
    while tasks.join_next().await.is_some() {}
}

/// Runs one job to its outcome.
async fn one(run: &Mover, job: Job) -> Outcome {
    run.stats.job_started();
    let started = Instant::now();
    let mover = run.for_job();
    let ending = match move_bytes(&mover, &job).await {
        Ok(done) => Ending::Done(Done { elapsed: started.elapsed(), retries: mover.client.retries(), ..done }),
        Err(ending) => ending,
    };
    count(&run.stats, &ending);
    outcome(job, ending)
}

async fn move_bytes(mover: &Mover, job: &Job) -> Result<Done, Ending> {
    match (&job.source, &job.destination) {
        (Source::Object(record), Destination::Object(to)) => copy::copy(mover, record, to).await,
        (Source::Object(record), Destination::File(_) | Destination::Beneath(..)) => {
            download::download(mover, record, &job.destination).await
        }
        (Source::File(path), Destination::Object(to)) => upload::file(mover, path, to).await,
        (Source::Stdin, Destination::Object(to)) => upload::stdin(mover, to).await,
        (_, Destination::Stdout) => {
            Err(refused("bytes for standard output go through `cat`'s ordered engine, one object at a time"))
        }
        (Source::File(_) | Source::Stdin, Destination::File(_) | Destination::Beneath(..)) => {
            Err(refused("source and destination are both local; use cp(1)"))
        }
        (Source::Unreadable(_), _) => Err(refused("the record names nothing that can be copied")),
    }
}

fn refused(why: &str) -> Ending {
    Ending::Failed(Failure::Refused(why.into()))
}

fn outcome(job: Job, ending: Ending) -> Outcome {
    Outcome { source: job.source, destination: Some(job.destination), input: job.input, ending }
}
