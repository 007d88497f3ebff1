//! AIMD over requests in flight: permits grow by success, shrink once per congestion window on throttling.
/// The shared limit of requests in flight to one store.
#[derive(Debug)]
pub struct Governor {}
impl Governor {
    /// Starts at `initial` permits, between 1 and `max`.
    pub fn new(_initial: usize, _max: usize) -> std::sync::Arc<Self> { todo!() }
    /// The present limit.
    pub fn limit(&self) -> usize { todo!() }
}
