/**
 * Which addresses a webhook may be sent to: none that leads into the network of this service, unless that is
 * allowed.
 */
import ipaddr from 'ipaddr.js';
import { fixedLimits } from '../limits.ts';

/**
 * The oldest way to wrap an IPv4 address into an IPv6 one. Nobody uses it any more, and the library takes it
 * for public.
 */
const ipv4CompatibleRange = ipaddr.IPv6.parseCIDR('::/96');

/**
 * True for an address of the public internet; false for every private, local or reserved one, and for what is
 * no address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // Also an IPv4 address that is wrapped into an IPv6 one is looked at as what it is.
  const found = ipaddr.process(address);
  return found.range() === 'unicast' && !(found instanceof ipaddr.IPv6 && found.match(ipv4CompatibleRange));
}

/**
 * True when the host of a URL says by itself that it is not public: a literal address, or a name of this
 * machine.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && !isPublicAddress(host);
}

/**
 * An address that goes into the envelope of a mail as it is: one mailbox, and nothing that a header or a list
 * could be made of.
 */
export function isEmailAddress(address: string): boolean {
  return (
    address.length <= fixedLimits.emailAddressCharacters &&
    /^[!#$%&'*+/=?^_`{|}~.\w-]{1,64}@[A-Za-z\d](?:[A-Za-z\d.-]*[A-Za-z\d])?$/.test(address)
  );
}
