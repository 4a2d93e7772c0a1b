// The token arrives in the URL's fragment, which browsers do not send. The page
// removes the token from the address at once and keeps it in memory only, so a
// reload forgets the token. Open tabs send the token to a new tab, so that a
// link without the token works beside an open page.
const FORM = /^[0-9a-f]{64}$/;
let token = "";
let channel = null;
let arrived = null;

export const current = () => token;

function take(text) {
    if (!FORM.test(text || ""))
        return false;
    token = text;
    return true;
}

export function forget() {
    token = "";
}

// Takes the token out of the address, if it has one.
export function fromAddress() {
    const hash = location.hash;
    const found = /[#?&]token=([^&]*)/.exec(hash);

    if (!found)
        return;
    take(found[1]);
    const rest =
        hash.replace(/([#?&])token=[^&]*&?/, "$1").replace(/[?&]$/, "");

    history.replaceState(null, "", rest.length > 1 ? rest : "#/now");
}

// Reads pasted text: the token, or an address that ends with the token.
export function fromText(text) {
    return take((/([0-9a-f]{64})\s*$/.exec(text) || [])[1]);
}

// Exchanges the token with other tabs. `act` is called when one has sent it.
export function listen(act) {
    arrived = act;
    channel = new BroadcastChannel("ccfc");
    channel.onmessage = ({data}) => {
        if (data && data.want && token)
            channel.postMessage({token});
        else if (data && data.token && !token && take(data.token))
            arrived();
    };
}

export function askOthers() {
    channel.postMessage({want: true});
}
