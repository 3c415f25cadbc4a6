/** Goes to another page of the console. @param address from `addressOf` */
export function navigateTo(address: string): void {
  location.hash = address;
}
