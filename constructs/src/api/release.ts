/** Version of all packages and of the image, which are released together. */
export const RELEASE = "0.2.0";
