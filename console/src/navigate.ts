/** Navigates to a page of the console. @param address from `linkTo` */
export function navigateTo(address: string): void {
  location.hash = address;
}
