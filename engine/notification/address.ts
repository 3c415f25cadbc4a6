/** Checks of network addresses: private hosts, which webhooks must not reach by default. */
import ipaddr from 'ipaddr.js';

/** Deprecated range of IPv4-compatible IPv6 addresses, which ipaddr.js classifies as public. */
const ipv4CompatibleRange = ipaddr.IPv6.parseCIDR('::/96');

/** Tells whether a text is an address of the public internet: not private, local or reserved. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // process() unwraps IPv4-mapped IPv6 addresses.
  const found = ipaddr.process(address);
  return found.range() === 'unicast' && !(found instanceof ipaddr.IPv6 && found.match(ipv4CompatibleRange));
}

/** Tells whether the host of a URL is localhost or a literal address that is not public. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && !isPublicAddress(host);
}
