/** Goes to another page of the console. @param address from `addressOf` */
export function go(address: string): void {
  location.hash = address;
}
