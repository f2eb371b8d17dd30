use pinocchio::error::ProgramError;

/// Why an instruction was refused. The refusals of the token programs come through unchanged.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum ExchangeError {
    UnknownInstruction = 2000,
    BadData = 2001,
    MissingAccount = 2002,
    NotSigner = 2003,
    BadMint = 2004,
}

impl From<ExchangeError> for ProgramError {
    fn from(refusal: ExchangeError) -> Self {
        Self::Custom(refusal as u32)
    }
}
