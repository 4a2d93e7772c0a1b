// The token: it comes in the URL's fragment, which browsers do not send, is
// taken out of the address at once, and is kept in memory only. So a reload
// forgets it. Another open tab of the page passes it on, so that a link without
// the token works beside an open page.
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

// Takes the token out of the address, if it is there.
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

// What somebody pastes: the token, or the address with it.
export function fromText(text) {
    return take((/([0-9a-f]{64})\s*$/.exec(text) || [])[1]);
}

// Listens to the other tabs. `act`: what to do when one has passed it on.
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
