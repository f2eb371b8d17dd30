use thiserror::Error;

/// An error of the escrow program, by the custom code in the transaction's error.
/// Codes below 1000 come from the system and token programs.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[repr(u32)]
pub enum EscrowError {
    #[error("the program knows no such instruction")]
    UnknownInstruction = 1000,
    #[error("the instruction's data is malformed")]
    BadData = 1001,
    #[error("an account is missing from the instruction")]
    MissingAccount = 1002,
    #[error("an account that must sign did not")]
    NotSigner = 1003,
    #[error("an account that changes was passed as read-only")]
    NotWritable = 1004,
    #[error("an account is not the one that the order names or the program derives")]
    WrongAddress = 1005,
    #[error("an account does not belong to the escrow program")]
    WrongOwner = 1006,
    #[error("an account of the program is of another kind")]
    WrongKind = 1007,
    #[error("the account exists already")]
    AlreadyExists = 1008,
    #[error("the order is for another version of the program")]
    WrongVersion = 1009,
    #[error("the order is for another chain")]
    WrongChain = 1010,
    #[error("the order is for another escrow")]
    WrongEscrow = 1011,
    #[error("the order is for another settler")]
    WrongSettler = 1012,
    #[error("a party of the order is the zero address")]
    ZeroAddress = 1013,
    #[error("a party of the order is the escrow program itself")]
    EscrowAsParty = 1014,
    #[error("an amount of the order is zero")]
    ZeroAmount = 1015,
    #[error("the referrer's fee is above the deposit")]
    FeeAboveAmount = 1016,
    #[error("the order's deadlines are out of order or too close or too far apart")]
    BadDeadlines = 1017,
    #[error("a number of the order does not fit into 64 bits")]
    NumberTooLarge = 1018,
    #[error("the time to open the order has passed")]
    OpenDeadlinePassed = 1019,
    #[error("the epoch of the order is not the current one")]
    WrongEpoch = 1020,
    #[error("an attester has paused new deposits")]
    OpeningPaused = 1021,
    #[error("the order was opened before")]
    AlreadyOpened = 1022,
    #[error("only the order's user may open it")]
    NotTheUser = 1023,
    #[error("the mint is not the order's")]
    WrongMint = 1024,
    #[error("the token program is not that of the mint")]
    WrongTokenProgram = 1025,
    #[error("the mint has an extension that changes transfers")]
    MintExtension = 1026,
    #[error("a token account is of another holder, mint or program")]
    BadTokenAccount = 1027,
    #[error("a token account is frozen")]
    FrozenAccount = 1028,
    #[error("the recipient's token account accepts transfers with a memo only")]
    MemoRequired = 1029,
    #[error("the moved amount differs from the order's")]
    WrongDelta = 1030,
    #[error("the balance is less than the order's amount")]
    TooLittle = 1031,
    #[error("the deposit may still open its order, so it cannot be returned yet")]
    StillAwaited = 1032,
    #[error("the time to fill the order has passed")]
    FillDeadlinePassed = 1033,
    #[error("the order was filled before")]
    AlreadyFilled = 1034,
    #[error("the recipient is the zero address, the token, the escrow or a program")]
    BadRecipient = 1035,
    #[error("the account would not be rent-exempt")]
    NotRentExempt = 1036,
    #[error("the order has ended")]
    NotOpen = 1037,
    #[error("the order was not filled")]
    NotFilled = 1038,
    #[error("the order was filled after its deadline")]
    FilledTooLate = 1039,
    #[error("the attested time is not past the fill deadline")]
    NotUnfilled = 1040,
    #[error("within one chain the record of the fill decides, not attesters")]
    AttestationsRefused = 1041,
    #[error("the deposit cannot be refunded yet")]
    NotRefundable = 1042,
    #[error("only the refund address, and the user thirty days later, may redirect the refund")]
    NotTheRefundAddress = 1043,
    #[error("there are fewer signatures than the threshold")]
    TooFewSignatures = 1044,
    #[error("a signature is malformed or not in its low form")]
    BadSignature = 1045,
    #[error("the signers are out of order or repeated")]
    SignersNotAscending = 1046,
    #[error("a signer is not an attester of the epoch")]
    NotAnAttester = 1047,
    #[error("the threshold is not above half of the attesters, or there are too many")]
    BadThreshold = 1048,
    #[error("the attesters are out of order or repeated")]
    AttestersNotAscending = 1049,
    #[error("too few attesters would remain")]
    ThresholdWouldBreak = 1050,
    #[error("the pause is over, longer than a day, or no longer than the one in force")]
    BadPause = 1051,
    #[error("only the upgrade authority may initialize the first epoch")]
    NotTheAuthority = 1052,
    #[error("the order has not ended")]
    NotEnded = 1053,
    #[error("the account must be kept for longer")]
    TooEarly = 1054,
    #[error("a sum does not fit into 64 bits")]
    Overflow = 1055,
    #[error("the referrer's account can never be paid")]
    BadReferrer = 1056,
    #[error("an account is passed twice")]
    Busy = 1057,
    #[error("the forwarding address has expired")]
    Expired = 1058,
    #[error("the rate is worse than the forwarding order allows")]
    RateTooLow = 1059,
    #[error("the fill deadline is too late for a forwarding order")]
    FillDeadlineTooFar = 1060,
    #[error("the maker's signature is by another key or for other data")]
    NotTheMaker = 1061,
}

impl EscrowError {
    const ALL: [Self; 62] = [
        Self::UnknownInstruction,
        Self::BadData,
        Self::MissingAccount,
        Self::NotSigner,
        Self::NotWritable,
        Self::WrongAddress,
        Self::WrongOwner,
        Self::WrongKind,
        Self::AlreadyExists,
        Self::WrongVersion,
        Self::WrongChain,
        Self::WrongEscrow,
        Self::WrongSettler,
        Self::ZeroAddress,
        Self::EscrowAsParty,
        Self::ZeroAmount,
        Self::FeeAboveAmount,
        Self::BadDeadlines,
        Self::NumberTooLarge,
        Self::OpenDeadlinePassed,
        Self::WrongEpoch,
        Self::OpeningPaused,
        Self::AlreadyOpened,
        Self::NotTheUser,
        Self::WrongMint,
        Self::WrongTokenProgram,
        Self::MintExtension,
        Self::BadTokenAccount,
        Self::FrozenAccount,
        Self::MemoRequired,
        Self::WrongDelta,
        Self::TooLittle,
        Self::StillAwaited,
        Self::FillDeadlinePassed,
        Self::AlreadyFilled,
        Self::BadRecipient,
        Self::NotRentExempt,
        Self::NotOpen,
        Self::NotFilled,
        Self::FilledTooLate,
        Self::NotUnfilled,
        Self::AttestationsRefused,
        Self::NotRefundable,
        Self::NotTheRefundAddress,
        Self::TooFewSignatures,
        Self::BadSignature,
        Self::SignersNotAscending,
        Self::NotAnAttester,
        Self::BadThreshold,
        Self::AttestersNotAscending,
        Self::ThresholdWouldBreak,
        Self::BadPause,
        Self::NotTheAuthority,
        Self::NotEnded,
        Self::TooEarly,
        Self::Overflow,
        Self::BadReferrer,
        Self::Busy,
        Self::Expired,
        Self::RateTooLow,
        Self::FillDeadlineTooFar,
        Self::NotTheMaker,
    ];

    /// The error with this custom error code.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|error| error.code() == code)
    }

    pub const fn code(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_match_the_program() {
        let program = include_str!("../../../../contracts/solana/escrow/src/error.rs");
        let theirs: Vec<_> =
            program.lines().filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = ")).collect();
        let ours: Vec<_> =
            EscrowError::ALL.into_iter().map(|one| (format!("{one:?}"), one.code().to_string())).collect();
        assert_eq!(theirs.len(), ours.len());
        for ((name, code), (our_name, our_code)) in theirs.into_iter().zip(&ours) {
            assert_eq!((name, code), (our_name.as_str(), our_code.as_str()));
        }
        assert_eq!(EscrowError::from_code(1_037), Some(EscrowError::NotOpen));
        assert_eq!(EscrowError::from_code(1), None);
    }
}
