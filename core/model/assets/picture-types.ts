/** Binary image formats only: an SVG may contain scripts and references. */
export const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
