/** Directory of mails, used when no SMTP server is configured. */
import { join } from 'node:path';

export function mailDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'mail');
}

/** Returns the file of a mail by the id of its delivery. */
export function mailPath(dataDirectory: string, deliveryId: string): string {
  return join(mailDirectory(dataDirectory), `${deliveryId}.eml`);
}
