/** Where rows will stand; seen only after 200 ms, so that what comes fast does not flicker. */
export const Skeleton = ({ rows = 8 }: { readonly rows?: number }) => (
  <div className="skeleton" role="status">
    <span className="only-read">Loading</span>
    {Array.from({ length: rows }, (_, at) => (
      <div key={at} className="skeleton-bar" aria-hidden="true" />
    ))}
  </div>
);
