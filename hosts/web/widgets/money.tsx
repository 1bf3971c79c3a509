import { locale } from "./locale.ts";

const formats = new Map<number, Intl.NumberFormat>();

const format = (digits: number): Intl.NumberFormat => {
  const known = formats.get(digits);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(locale, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formats.set(digits, made);
  return made;
};

export const moneyText = (cents: number): string => format(2).format(cents / 100);

/** Cents as money. null is money that nobody has named, which is never shown as nothing. */
export const Money = ({ cents }: { readonly cents: number | null }) =>
  cents === null ? (
    <span className="faint" title="Cost unknown">
      unknown
    </span>
  ) : (
    <span className="number">{moneyText(cents)}</span>
  );
