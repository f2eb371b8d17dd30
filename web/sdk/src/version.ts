/** The value of `X-SVC-SDK-Version`. A test compares it with the version of the package. */
export const VERSION = 'ts-0.1.0';
