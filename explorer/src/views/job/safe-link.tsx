/** A link only where the address is one of the web. */

export function SafeLink({ url }: { url: string }) {
  return /^https?:\/\//i.test(url) ? (
    <a href={url} rel="noopener noreferrer" target="_blank">
      {url}
    </a>
  ) : (
    <span className="mono">{url}</span>
  );
}
