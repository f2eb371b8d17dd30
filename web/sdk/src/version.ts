/** How the SDK names itself in `X-SVC-SDK-Version`; a test holds it against the package. */
export const VERSION = 'ts-0.1.0';
