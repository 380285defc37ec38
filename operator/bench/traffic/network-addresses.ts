/** The addresses of the simulated network. Pure. */

export const VXLAN_PORT = 4789;

/** Of a party, where others reach it. @param link from 1 */
export function addressOf(link: number): string {
  return `10.77.0.${link}`;
}

/** The two ends of the cable between a party and the router, a network of its own. */
export function gatewayOf(link: number): { readonly router: string; readonly link: string } {
  return { router: `172.31.${link}.1`, link: `172.31.${link}.2` };
}
