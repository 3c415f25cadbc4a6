/** Address checks: private hosts, which webhooks must not reach by default, and mail addresses. */
import ipaddr from 'ipaddr.js';
import { fixedLimits } from '../limits.ts';

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

/**
 * Tells whether a text is a single mailbox address. Excludes characters that could inject headers or lists.
 */
export function isEmailAddress(address: string): boolean {
  return (
    address.length <= fixedLimits.emailAddressCharacters &&
    /^[!#$%&'*+/=?^_`{|}~.\w-]{1,64}@[A-Za-z\d](?:[A-Za-z\d.-]*[A-Za-z\d])?$/.test(address)
  );
}
