use pinocchio::error::ProgramError;

/// Why an instruction was refused. The numbers begin past those of the programs that are called from here, whose
/// refusals come through unchanged.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum EscrowError {
    UnknownInstruction = 1000,
    BadData = 1001,
    MissingAccount = 1002,
    NotSigner = 1003,
    NotWritable = 1004,
    WrongAddress = 1005,
    WrongOwner = 1006,
    WrongKind = 1007,
    AlreadyExists = 1008,
    WrongVersion = 1009,
    WrongChain = 1010,
    WrongEscrow = 1011,
    WrongSettler = 1012,
    ZeroAddress = 1013,
    EscrowAsParty = 1014,
    ZeroAmount = 1015,
    FeeAboveAmount = 1016,
    BadDeadlines = 1017,
    NumberTooLarge = 1018,
    OpenDeadlinePassed = 1019,
    WrongEpoch = 1020,
    OpeningPaused = 1021,
    AlreadyOpened = 1022,
    NotTheUser = 1023,
    WrongMint = 1024,
    WrongTokenProgram = 1025,
    MintExtension = 1026,
    BadTokenAccount = 1027,
    FrozenAccount = 1028,
    MemoRequired = 1029,
    WrongDelta = 1030,
    TooLittle = 1031,
    StillAwaited = 1032,
    FillDeadlinePassed = 1033,
    AlreadyFilled = 1034,
    BadRecipient = 1035,
    NotRentExempt = 1036,
    NotOpen = 1037,
    NotFilled = 1038,
    FilledTooLate = 1039,
    NotUnfilled = 1040,
    AttestationsRefused = 1041,
    NotRefundable = 1042,
    NotTheRefundAddress = 1043,
    TooFewSignatures = 1044,
    BadSignature = 1045,
    SignersNotAscending = 1046,
    NotAnAttester = 1047,
    BadThreshold = 1048,
    AttestersNotAscending = 1049,
    ThresholdWouldBreak = 1050,
    BadPause = 1051,
    NotTheAuthority = 1052,
    NotEnded = 1053,
    TooEarly = 1054,
    Overflow = 1055,
    BadReferrer = 1056,
    Busy = 1057,
    Expired = 1058,
    RateTooLow = 1059,
    FillDeadlineTooFar = 1060,
    NotTheMaker = 1061,
}

/// Only an account that is in use already, or a call with accounts mixed up, is refused by the library itself.
impl From<ProgramError> for EscrowError {
    fn from(_: ProgramError) -> Self {
        Self::Busy
    }
}

impl From<EscrowError> for ProgramError {
    fn from(refusal: EscrowError) -> Self {
        Self::Custom(refusal as u32)
    }
}
