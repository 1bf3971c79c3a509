/**
 * How numbers and dates are written: in English words, as the page, and in the order of the reader's region. A browser that
 * says no region is taken for one of where its language is spoken most.
 */
export const locale = `en-${new Intl.Locale(navigator.language).maximize().region ?? "001"}`;
