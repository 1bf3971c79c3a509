/** The file of a company cannot be taken here. The message is one sentence for the person who gave it. */
export class CompanyRefused extends Error {}

export const notAsWritten = () =>
  new CompanyRefused("The rows of the file are not as an export writes them.");
