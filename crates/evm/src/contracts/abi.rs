use alloy_sol_types::sol;

sol! {
    /// Every term of a swap; see [`causeway_domain::IntentTerms`].
    #[derive(Debug, PartialEq, Eq)]
    struct Order {
        uint256 version;
        uint256 originChainId;
        bytes32 escrow;
        bytes32 user;
        bytes32 nonce;
        bytes32 inputToken;
        uint256 amountIn;
        bytes32 refundTo;
        bytes32 filler;
        bytes32 payee;
        bytes32 referrer;
        uint256 referrerFee;
        uint256 destinationChainId;
        bytes32 settler;
        bytes32 outputToken;
        uint256 amountOut;
        bytes32 recipient;
        uint256 openDeadline;
        uint256 fillDeadline;
        uint256 refundAt;
        uint256 epoch;
    }

    /// The terms that the deposit address of a fiat purchase commits to.
    #[derive(Debug, PartialEq, Eq)]
    struct Jump {
        uint256 version;
        uint256 originChainId;
        bytes32 escrow;
        bytes32 nonce;
        bytes32 maker;
        bytes32 inputToken;
        bytes32 refundTo;
        uint256 destinationChainId;
        bytes32 outputToken;
        bytes32 recipient;
        uint256 rateIn;
        uint256 rateOut;
        uint256 expiry;
    }

    #[derive(Debug, PartialEq, Eq)]
    struct GaslessCrossChainOrder {
        address originSettler;
        address user;
        uint256 nonce;
        uint256 originChainId;
        uint32 openDeadline;
        uint32 fillDeadline;
        bytes32 orderDataType;
        bytes orderData;
    }

    #[derive(Debug, PartialEq, Eq)]
    struct OnchainCrossChainOrder {
        uint32 fillDeadline;
        bytes32 orderDataType;
        bytes orderData;
    }

    #[derive(Debug, PartialEq, Eq)]
    struct ResolvedCrossChainOrder {
        address user;
        uint256 originChainId;
        uint32 openDeadline;
        uint32 fillDeadline;
        bytes32 orderId;
        Output[] maxSpent;
        Output[] minReceived;
        FillInstruction[] fillInstructions;
    }

    #[derive(Debug, PartialEq, Eq)]
    struct Output {
        bytes32 token;
        uint256 amount;
        bytes32 recipient;
        uint256 chainId;
    }

    #[derive(Debug, PartialEq, Eq)]
    struct FillInstruction {
        uint256 destinationChainId;
        bytes32 destinationSettler;
        bytes originData;
    }

    /// An EIP-2612 permit for the escrow.
    #[derive(Debug, PartialEq, Eq)]
    struct TokenPermit {
        uint256 value;
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    #[derive(Debug, PartialEq, Eq)]
    interface Escrow {
        enum Status { None, Open, Claimed, Refunded }
        enum RefundCause { Waived, Unfilled, Expired }

        event Open(bytes32 indexed orderId, Order order);
        event Claimed(bytes32 indexed orderId, uint256 paid);
        event ClaimSkipped(bytes32 indexed orderId, Status status);
        event Refunded(bytes32 indexed orderId, address indexed to, uint256 amount, RefundCause cause);

        error AlreadyFilled(bytes32 orderId);
        error AlreadyOpened(bytes32 orderId);
        error AttestationsRefused();
        error BadBatch();
        error BadDeadlines();
        error BadOrderLength(uint256 length);
        error DirtyAddress(bytes32 value);
        error EmptyBatch();
        error EnvelopeMismatch();
        error EscrowAsParty();
        error FeeAboveAmount(uint256 referrerFee, uint256 amountIn);
        error FillDeadlineTooFar(uint256 fillDeadline, uint256 latest);
        error FilledTooLate(uint256 filledAt, uint256 fillDeadline);
        error MixedBatch(bytes32 orderId);
        error NotFilled(bytes32 orderId);
        error NotOpen(bytes32 orderId, Status status);
        error NotRefundable(uint256 refundAt);
        error NotTheDepositor(address caller);
        error NotTheRefundAddress(address caller);
        error NotTheUser(address user);
        error NotUnfilled(uint256 destinationTime, uint256 fillDeadline);
        error OpenDeadlinePassed(uint256 openDeadline);
        error OpeningPaused(uint256 until);
        error ReentrancyGuardReentrantCall();
        error TransferFailed(address token, address to);
        error WrongChain(uint256 chainId);
        error WrongDelta(uint256 received, uint256 wanted);
        error WrongEpoch(uint256 epoch, uint256 current);
        error WrongEscrow(bytes32 escrow);
        error WrongNativeValue(uint256 given, uint256 wanted);
        error WrongOrderType(bytes32 orderDataType);
        error WrongSettler(bytes32 settler);
        error WrongVersion(uint256 version);
        error ZeroAddress();
        error ZeroAmount();

        constructor(address[] attesters, uint256 threshold, address settler, address depositFactory, bytes32 depositInitCodeHash, address permit2, uint256 minGrace);
        function open(OnchainCrossChainOrder calldata order) external payable;
        function openFor(GaslessCrossChainOrder calldata order, bytes calldata signature, bytes calldata originFillerData) external;
        function openWithAuthorization(Order calldata order, bytes calldata signature) external;
        function openWithPermit(Order calldata order, TokenPermit calldata permit, bytes calldata signature) external;
        function claimBatch(uint256 count, bytes32[] calldata entries, bytes[] calldata signatures) external;
        function claim(Order calldata order, uint256 filledAt, bytes32 fillRef, bytes[] calldata signatures) external;
        function refund(Order calldata order) external;
        function refundUnfilled(Order calldata order, uint256 destinationTime, bytes[] calldata signatures) external;
        function refundTo(Order calldata order, address to) external;
        function status(bytes32 orderId) external view returns (Status);
        function orderId(Order calldata order) external pure returns (bytes32);
        function resolve(OnchainCrossChainOrder calldata order) external view returns (ResolvedCrossChainOrder memory);
    }

    #[derive(Debug, PartialEq, Eq)]
    interface Settler {
        event Filled(bytes32 indexed orderId, address indexed caller, bytes32 indexed recipient, bytes32 outputToken, uint256 amountOut, uint256 originChainId, uint256 filledAt);

        error AlreadyFilled(bytes32 orderId, uint256 filledAt);
        error BadFillerData();
        error BadRecipient(address recipient);
        error DeliveredTooLittle(uint256 gained, uint256 wanted);
        error FillDeadlinePassed(uint256 fillDeadline);
        error SafeERC20FailedOperation(address token);
        error WrongOrderId(bytes32 given, bytes32 computed);

        function fill(bytes32 orderId, bytes calldata originData, bytes calldata fillerData) external payable;
        function filledAt(bytes32 orderId) external view returns (uint256);
    }

    #[derive(Debug, PartialEq, Eq)]
    /// The part of the escrow that keeps the attesters.
    interface AttesterRegistry {
        event EpochScheduled(uint256 indexed epoch, address[] attesters, uint256 threshold, uint256 activeFrom);
        event Resigned(uint256 indexed epoch, address indexed attester);
        event OpenPaused(address indexed attester, uint256 until);

        error AttestersNotAscending();
        error BadThreshold(uint256 threshold, uint256 attesters);
        error ECDSAInvalidSignature();
        error ECDSAInvalidSignatureLength(uint256 length);
        error ECDSAInvalidSignatureS(bytes32 s);
        error NotAnAttester(uint256 epoch, address signer);
        error SignersNotAscending(address signer);
        error ThresholdWouldBreak();
        error TooFewSignatures(uint256 given, uint256 threshold);
        error UnknownEpoch(uint256 epoch);

        function currentEpoch() external view returns (uint256);
        function pausedUntil() external view returns (uint256);
        function threshold(uint256 epoch) external view returns (uint256);
        function attesters(uint256 epoch) external view returns (address[] memory);
        function isAttester(uint256 epoch, address account) external view returns (bool);
        function check(uint256 epoch, bytes32 digest, bytes[] calldata signatures) external view;
        function handOver(address[] calldata attesters, uint256 threshold, bytes[] calldata signatures) external;
        function resign(uint256 epoch) external;
        function pauseOpen() external;
    }

    #[derive(Debug, PartialEq, Eq)]
    interface DepositFactory {
        event Swept(bytes32 indexed orderId, address indexed depositAddress, address token, uint256 amount);
        event Jumped(bytes32 indexed jumpId, bytes32 indexed orderId, address indexed depositAddress, uint256 amount);
        event Returned(bytes32 indexed id, address indexed depositAddress, address indexed to, address token, uint256 amount);
        event Skipped(bytes32 indexed id, address indexed depositAddress, address token);

        error Expired(uint256 expiry);
        error FillDeadlineTooFar(uint256 fillDeadline);
        error JumpMismatch();
        error NoRefundAddress();
        error NotTheMaker(address signer);
        error OpenFailed();
        error RateTooLow(uint256 amountIn, uint256 amountOut);
        error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value);
        error StillAwaited(bytes32 id);
        error TooLittle(uint256 balance, uint256 amountIn);
        error TooLittleGas(uint256 given, uint256 wanted);

        function addressOf(bytes32 id) external view returns (address);
        function initCodeHash() external view returns (bytes32);
        function jumpId(Jump calldata terms) external pure returns (bytes32);
        function sweep(Order calldata order) external;
        function giveBack(Order calldata order, address[] calldata tokens) external;
        function jump(Jump calldata terms, Order calldata order, bytes calldata makerSignature) external;
        function giveBackJump(Jump calldata terms, address[] calldata tokens, bytes calldata makerSignature) external;
    }

    #[derive(Debug, PartialEq, Eq)]
    interface IntentBook {
        enum State { NonExistent, Open, Locked, Solved, Settled, Expired, Cancelled, Error }
        struct Entry { Order order; State state; bytes32 evidence; }

        event IntentTerms(bytes32 indexed intentId, address indexed writer, Order order);
        event IntentRecorded(bytes32 indexed intentId, address indexed writer, State state, bytes32 evidence);

        function record(Order calldata order, State state, bytes32 evidence) external;
        function recordMany(Entry[] calldata entries) external;
        function stateOf(address writer, bytes32 intentId) external view returns (State);
    }

    #[derive(Debug, PartialEq, Eq)]
    interface VaultFactory {
        event VaultCreated(address indexed asset, address indexed vault, string name, string symbol);

        function create(address asset) external returns (address vault);
        function vaultOf(address asset) external view returns (address);
        function vaults() external view returns (address[] memory);
    }

    #[derive(Debug, PartialEq, Eq)]
    interface Vault {
        constructor(address asset);
        function asset() external view returns (address);
        function name() external view returns (string memory);
        function symbol() external view returns (string memory);
        function decimals() external view returns (uint8);
        function convertToShares(uint256 assets) external view returns (uint256);
        function convertToAssets(uint256 shares) external view returns (uint256);
        function previewMint(uint256 shares) external view returns (uint256);
    }

    /// The errors of Permit2.
    #[derive(Debug, PartialEq, Eq)]
    interface Permit2 {
        error InvalidAmount(uint256 maxAmount);
        error InvalidContractSignature();
        error InvalidNonce();
        error InvalidSignature();
        error InvalidSignatureLength();
        error InvalidSigner();
        error SignatureExpired(uint256 signatureDeadline);
    }

    /// The errors of tokens, as ERC-6093 and common vaults name them.
    #[derive(Debug, PartialEq, Eq)]
    interface Token {
        error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
        error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
        error ERC20InvalidReceiver(address receiver);
        error ERC4626ExceededMaxMint(address receiver, uint256 shares, uint256 max);
        error EnforcedPause();
    }
}

/// The structs of ERC-7683.
pub mod erc7683 {
    pub use super::{
        FillInstruction, GaslessCrossChainOrder, OnchainCrossChainOrder, Output, ResolvedCrossChainOrder,
    };
}
