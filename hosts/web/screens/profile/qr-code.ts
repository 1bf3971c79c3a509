/** Loaded with the first code that is shown: a file of its own, which shares the chunks of the page. */
export { default as encodeQR } from "qr";
