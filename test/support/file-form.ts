/** An upload of one file, with further form fields. */
export const fileForm = (
  content: string | Uint8Array<ArrayBuffer>,
  { name = "file.txt", type = "text/plain", ...fields }: Readonly<Record<string, string>> = {},
): FormData => {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set("file", new File([content], name, { type }));
  return form;
};
