package kube

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// kubeconfig is what a file says of clusters, and of who asks. Names are those of the file.
type kubeconfig struct {
	Current  string `json:"current-context"`
	Contexts []namedContext
	Clusters []struct {
		Name    string
		Cluster struct {
			Server        string
			Authority     string `json:"certificate-authority"`
			AuthorityData string `json:"certificate-authority-data"`
			ServerName    string `json:"tls-server-name"`
			Unverified    bool   `json:"insecure-skip-tls-verify"`
		}
	}
	Users []struct {
		Name string
		User user
	}
}

type namedContext struct {
	Name    string
	Context struct{ Cluster, User, Namespace string }
}

type user struct {
	Certificate     string `json:"client-certificate"`
	CertificateData string `json:"client-certificate-data"`
	Key             string `json:"client-key"`
	KeyData         string `json:"client-key-data"`
	Token           string
	TokenFile       string
	Exec            *struct {
		APIVersion string
		Command    string
		Args       []string
		Env        []struct{ Name, Value string }
	}
}

// Connect finds the cluster: in a file, or where that is "" in $KUBECONFIG or ~/.kube/config; context and namespace may
// be "" for those that it says.
func Connect(file, context, namespace string) (*Client, error) {
	if file == "" {
		home, _ := os.UserHomeDir()
		list := append(filepath.SplitList(os.Getenv("KUBECONFIG")), filepath.Join(home, ".kube", "config"))
		file = list[0]
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no cluster is known: %w; name a kubeconfig with --kubeconfig or KUBECONFIG", err)
	}
	var k kubeconfig
	if err := yaml.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c, err := k.client(filepath.Dir(file), cmp.Or(context, k.Current), namespace)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// client is for a context; paths are relative to the file's folder.
func (k *kubeconfig) client(dir, context, namespace string) (*Client, error) {
	at := slices.IndexFunc(k.Contexts, func(c namedContext) bool { return c.Name == context })
	if at < 0 {
		return nil, fmt.Errorf("it has no context %q", context)
	}
	where := k.Contexts[at].Context
	c := &Client{Namespace: cmp.Or(namespace, where.Namespace, "default")}
	security := &tls.Config{MinVersion: tls.VersionTLS12}
	for _, named := range k.Clusters {
		if named.Name != where.Cluster {
			continue
		}
		cluster := named.Cluster
		c.server, security.ServerName, security.InsecureSkipVerify = cluster.Server, cluster.ServerName, cluster.Unverified
		authority, err := bytesOf(dir, cluster.Authority, cluster.AuthorityData)
		if err != nil {
			return nil, err
		}
		if authority != nil {
			security.RootCAs = x509.NewCertPool()
			if !security.RootCAs.AppendCertsFromPEM(authority) {
				return nil, fmt.Errorf("cluster %s: its authority is no certificate", named.Name)
			}
		}
	}
	if c.server == "" {
		return nil, fmt.Errorf("it has no cluster %q", where.Cluster)
	}
	for _, named := range k.Users {
		if named.Name == where.User {
			if err := named.User.apply(dir, c, security); err != nil {
				return nil, fmt.Errorf("user %s: %w", named.Name, err)
			}
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = security
	c.http = &http.Client{Transport: transport}
	return c, nil
}

// apply gives a client the certificate or token of a user.
func (u *user) apply(dir string, c *Client, security *tls.Config) error {
	if u.Exec != nil {
		if err := u.ask(); err != nil {
			return err
		}
	}
	c.token = u.Token
	if u.TokenFile != "" {
		text, err := os.ReadFile(absolute(dir, u.TokenFile))
		if err != nil {
			return err
		}
		c.token = string(bytes.TrimSpace(text))
	}
	certificate, err := bytesOf(dir, u.Certificate, u.CertificateData)
	key, err2 := bytesOf(dir, u.Key, u.KeyData)
	if err := errors.Join(err, err2); err != nil || certificate == nil {
		return err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	security.Certificates = []tls.Certificate{pair}
	return err
}

// ask runs the program that knows the user's secret, as those of cloud providers do.
func (u *user) ask() error {
	c := exec.Command(u.Exec.Command, u.Exec.Args...)
	c.Env = append(os.Environ(), fmt.Sprintf(`KUBERNETES_EXEC_INFO={"apiVersion":%q,"kind":"ExecCredential",`+
		`"spec":{"interactive":false}}`, u.Exec.APIVersion))
	for _, e := range u.Exec.Env {
		c.Env = append(c.Env, e.Name+"="+e.Value)
	}
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", u.Exec.Command, err)
	}
	var answer struct {
		Status struct{ Token, ClientCertificateData, ClientKeyData string }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("%s: %w", u.Exec.Command, err)
	}
	u.Token = answer.Status.Token
	if pem := answer.Status.ClientCertificateData; pem != "" {
		u.CertificateData = base64.StdEncoding.EncodeToString([]byte(pem))
		u.KeyData = base64.StdEncoding.EncodeToString([]byte(answer.Status.ClientKeyData))
	}
	return nil
}

// bytesOf are those of a file, or of base64 that stands in its place; nil where there is neither.
func bytesOf(dir, file, data string) ([]byte, error) {
	switch {
	case data != "":
		return base64.StdEncoding.DecodeString(data)
	case file != "":
		return os.ReadFile(absolute(dir, file))
	}
	return nil, nil
}

func absolute(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}
