//! A movie that a thread of its own draws while the run goes on: frames wait in a short queue and keep their order, so that
//! the movie has the same bits as one that is drawn at once.

use super::{Movie, Sight};
use crate::error::PictureError;
use crate::frame::{Depict, Frame};
use crate::picture::Picture;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::Error;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use stickslip_geometry::space::Dim;

/// Frames that may wait; a run that is ahead by more waits itself.
const WAITING: usize = 2;

/// What is done with each image, beside the movie.
type Keep = Box<dyn FnMut(&Picture) -> Result<(), PictureError> + Send>;

/// A movie in the making, beside the run.
pub struct Beside<const D: usize>
where
    Dim<D>: Depict<D>,
{
    orders: Option<SyncSender<Order<D>>>,
    /// Gives the movie back when there are no more orders, or what went wrong.
    thread: Option<JoinHandle<Result<Movie<D>, PictureError>>>,
}

enum Order<const D: usize>
where
    Dim<D>: Depict<D>,
{
    Draw(Frame<D>),
    Tell(SyncSender<Option<Sight<D>>>),
}

impl<const D: usize> Beside<D>
where
    Dim<D>: Depict<D>,
{
    /// Goes on with a movie; `keep` is called with every image, in order.
    pub fn new(
        movie: Movie<D>,
        keep: impl FnMut(&Picture) -> Result<(), PictureError> + Send + 'static,
    ) -> Result<Self, PictureError> {
        let (orders, taken) = sync_channel(WAITING);
        let path = movie.film.path.clone();
        let started = own_pool().and_then(|pool| {
            let work = move || pool.install(move || draw_all(movie, Box::new(keep), taken));
            Builder::new().name("movie".into()).spawn(work)
        });
        let thread = started.map_err(|source| PictureError::Thread { path, source })?;
        Ok(Beside { orders: Some(orders), thread: Some(thread) })
    }

    /// Adds the image of a frame. An error may be that of a frame before.
    pub fn push(&mut self, frame: Frame<D>) -> Result<(), PictureError> {
        self.order(Order::Draw(frame))
    }

    /// Waits until all images are drawn and kept; what to keep beside them, none before the first.
    pub fn sight(&mut self) -> Result<Option<Sight<D>>, PictureError> {
        let (tell, told) = sync_channel(1);
        self.order(Order::Tell(tell))?;
        match told.recv() {
            Ok(sight) => Ok(sight),
            Err(_) => Err(self.failure()),
        }
    }

    /// Draws what is left, completes the file and gives it its name.
    pub fn finish(mut self) -> Result<(), PictureError> {
        match self.end() {
            Some(movie) => movie?.finish(),
            None => Err(PictureError::Ended),
        }
    }

    fn order(&mut self, order: Order<D>) -> Result<(), PictureError> {
        let taken = self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
        if taken { Ok(()) } else { Err(self.failure()) }
    }

    /// What made the thread stop.
    fn failure(&mut self) -> PictureError {
        self.end().and_then(Result::err).unwrap_or(PictureError::Ended)
    }

    /// Waits for the thread to end; none if it has ended before.
    fn end(&mut self) -> Option<Result<Movie<D>, PictureError>> {
        drop(self.orders.take());
        let ended = self.thread.take()?.join();
        // a fault of this program is told as if there were no thread
        Some(ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

/// Threads to draw by. The run waits for them, so they must not be those that the run is on: as many as it has, or one where
/// it is one of many at once.
fn own_pool() -> Result<ThreadPool, Error> {
    let threads = if rayon::current_thread_index().is_some() { 1 } else { rayon::current_num_threads() };
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(Error::other)
}

fn draw_all<const D: usize>(
    mut movie: Movie<D>,
    mut keep: Keep,
    orders: Receiver<Order<D>>,
) -> Result<Movie<D>, PictureError>
where
    Dim<D>: Depict<D>,
{
    for order in orders {
        match order {
            Order::Draw(frame) => keep(&movie.push(frame)?)?,
            // nobody waits any more: then nobody needs to know
            Order::Tell(tell) => drop(tell.send(movie.sight())),
        }
    }
    Ok(movie)
}

impl<const D: usize> Drop for Beside<D>
where
    Dim<D>: Depict<D>,
{
    fn drop(&mut self) {
        // a movie that is not finished leaves nothing behind
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
