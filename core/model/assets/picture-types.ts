/** Pictures that are no text: an SVG may hold scripts and references. */
export const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
