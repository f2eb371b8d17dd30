use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, Answer, Filler, FillerAsk, FillerError, OrderExecutor, Progress, Refusal,
};
use causeway_domain::{Decision, Order};
use jiff::Timestamp;

/// A filler with this name that offers nothing, and its executor, which waits for ever.
#[derive(Clone, Debug)]
pub struct IdleFiller(pub String);

#[async_trait]
impl Filler for IdleFiller {
    fn name(&self) -> &str {
        &self.0
    }

    fn kind(&self) -> &'static str {
        "rfq"
    }

    async fn quote(&self, _: &FillerAsk) -> Result<Answer, FillerError> {
        Ok(Answer::Refused(Refusal::PairNotServed))
    }
}

#[async_trait]
impl OrderExecutor for IdleFiller {
    fn name(&self) -> &str {
        &self.0
    }

    async fn hold(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    async fn decide(&self, _: &Order, _: Timestamp) -> Result<(Decision, Option<String>), ActionError> {
        Ok((Decision::Fill, None))
    }

    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, _: &Order) -> Result<(), ActionError> {
        Ok(())
    }
}
